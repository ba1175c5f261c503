import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface About {
  label: string;
  hint?: string | undefined;
  /** The mistake in what was typed. */
  error?: ComponentChildren;
}

interface Control {
  id: string;
  'aria-describedby': string;
  'aria-invalid'?: true;
}

/** A control with its label, a hint and what is wrong with it. The control takes the properties it is given. */
export function Field({ label, hint, error, children }: About & { children: (control: Control) => ComponentChildren }) {
  const id = useId();
  const about = `${id}-about`;
  return (
    <div class="control">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': about, ...(error !== undefined && { 'aria-invalid': true as const }) })}
      <p id={about} class={error === undefined ? 'note' : 'problem'}>
        {error ?? hint}
      </p>
    </div>
  );
}

interface TextProps extends About {
  value: string;
  required?: boolean;
  onChange(text: string): void;
}

/** No browser corrects a name or a key. */
const AS_TYPED = { autocomplete: 'off', spellcheck: false, autocapitalize: 'off' } as const;

/** A field of one line. */
export function TextField({
  label,
  hint,
  error,
  onChange,
  ...rest
}: TextProps & { type?: 'text' | 'url' | 'number'; min?: number }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...AS_TYPED}
          {...control}
          {...(rest as { value: string; type: 'url' })}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field of several lines. */
export function TextArea({ label, hint, error, onChange, ...rest }: TextProps & { rows: number }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea {...AS_TYPED} {...control} {...rest} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
      )}
    </Field>
  );
}

interface Choice {
  value: string | number;
  /** Each value with what it is called. */
  options: readonly (readonly [value: string, title: string])[];
  onChange(value: string): void;
}

export function Select({ options, onChange, ...rest }: Choice & Partial<Control> & { required?: boolean }) {
  return (
    <select {...rest} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}

export function SelectField({ label, hint, ...choice }: About & Choice & { required?: boolean }) {
  return (
    <Field label={label} hint={hint}>
      {(control) => <Select {...control} {...choice} />}
    </Field>
  );
}

interface TickProps {
  label: ComponentChildren;
  isOn: boolean;
  onChange(isOn: boolean): void;
}

export function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <label class="tick">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}

interface TicksProps {
  legend: string;
  values: readonly string[];
  chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}

/** Any number of values of the API. */
export function Ticks({ legend, values, chosen, onChange }: TicksProps) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {values.map((value) => (
        <Tick
          key={value}
          label={<code>{value}</code>}
          isOn={chosen.includes(value)}
          onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((each) => each !== value))}
        />
      ))}
    </fieldset>
  );
}
