import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';

interface CardProps {
  title?: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a page, with its title. */
export function Card({ title, actions, children }: CardProps) {
  const id = useId();
  if (title === undefined) return <section class="card">{children}</section>;
  return (
    <section class="card" aria-labelledby={id}>
      <header class="bar">
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface TableProps {
  /** Names the table for screen readers. */
  label: string;
  columns: readonly ComponentChildren[];
  /** The rows: `<tr>`. */
  children: ComponentChildren;
}

/** A table that scrolls by itself where it is too wide. */
export function Table({ label, columns, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((title, at) => (
              <th key={at} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export type Tone = 'good' | 'busy' | 'bad' | 'warn' | 'quiet';

type SiteWord = keyof typeof TEXT.words;

const TONES: Record<SiteWord, Tone> = {
  live: 'good',
  live_in_part: 'warn',
  redirects: 'good',
  suspended: 'warn',
  ready_to_switch: 'busy',
  waiting_for_records: 'busy',
  records_wrong: 'bad',
  waiting_for_certificate: 'busy',
  certificate_stopped: 'bad',
  not_looked_at: 'quiet',
  unreachable: 'bad',
  checks_ended: 'bad',
};

/** The one word for a site. */
export function WordBadge({ word }: { word: SiteWord }) {
  return <Badge tone={TONES[word]}>{TEXT.words[word]}</Badge>;
}

/** A word with a colour that says the same. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** The mistake in what was typed. */
  error?: ComponentChildren;
  /** The control, which takes the properties it is given. */
  children: (control: { id: string; 'aria-describedby': string; 'aria-invalid'?: true }) => ComponentChildren;
}

/** A control with its label, a hint and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
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

/** Says that there is nothing yet; its children do the first step. */
export function EmptyState({ title, text, children }: { title: string; text?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text && <p>{text}</p>}
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

/** A line of a `<dl>`. */
export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export interface Moment {
  /** Unix ms. */
  at: number;
  title: ComponentChildren;
  tone?: Tone;
  /** Who did it. */
  by?: string | undefined;
  details?: ComponentChildren;
}

/** Moments, in the order given. */
export function Timeline({ label, moments }: { label: string; moments: readonly Moment[] }) {
  return (
    <ol class="timeline" aria-label={label}>
      {moments.map(({ at, title, tone = 'quiet', by, details }, position) => (
        <li key={`${at}-${position}`} class={tone}>
          <p>
            {title}{' '}
            <span class="note">
              <Ago at={at} />
              {by !== undefined && (
                <>
                  {' · '}
                  <bdi>{by}</bdi>
                </>
              )}
            </span>
          </p>
          {details}
        </li>
      ))}
    </ol>
  );
}
