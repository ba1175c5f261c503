import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { Code } from '../inline.tsx';
import { Field } from './parts.tsx';
import { SECRETS } from './secrets-text.ts';

/** A secret, until somebody says that it is saved. */
export function SecretOnce({ title, secret, onSaved }: { title: string; secret: string; onSaved: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [secret]);
  return (
    <section class="card secret">
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>{SECRETS.once}</p>
      <div class="actions">
        <Code text={secret} />
        <CopyButton text={secret} what={title} />
      </div>
      <button type="button" class="button quiet small" onClick={onSaved}>
        {SECRETS.saved}
      </button>
    </section>
  );
}

export type Overlap = (typeof SECRETS.overlaps)[number];

/** A day, as the API has it unless told otherwise. */
export const USUAL_OVERLAP: Overlap = SECRETS.overlaps[2];

/** For how long a secret works beside its successor. */
export function OverlapField({ value, onChange }: { value: Overlap; onChange: (overlap: Overlap) => void }) {
  const choose = (seconds: string) =>
    onChange(SECRETS.overlaps.find((each) => String(each.seconds) === seconds) ?? USUAL_OVERLAP);
  return (
    <Field label={SECRETS.overlap}>
      {(control) => (
        <select {...control} value={String(value.seconds)} onChange={(event) => choose(event.currentTarget.value)}>
          {SECRETS.overlaps.map(({ seconds, label }) => (
            <option key={seconds} value={String(seconds)}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
