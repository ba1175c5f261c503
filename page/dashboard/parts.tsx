import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Loaded } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import type { SiteWord } from './site-state.ts';
import { TEXT } from './text.ts';

/** The title of a page, what it is about, and its main button. */
export function PageHead({ title, about, children }: { title: string; about?: string; children?: ComponentChildren }) {
  usePageTitle(title);
  return (
    <>
      <header class="bar">
        <h1>{title}</h1>
        {children}
      </header>
      {about !== undefined && <p class="note">{about}</p>}
    </>
  );
}

interface ListPageProps<Item> {
  title: string;
  texts: { about: string; none: string; noneText: string };
  list: Loaded<Item[]>;
  /** Adds the first one where there is none. */
  button: ComponentChildren;
  /** Shown above the list. */
  notice?: ComponentChildren;
  /** The items. */
  children(items: Item[]): ComponentChildren;
}

/** A page of a short list, which begins with adding something. */
export function ListPage<Item>({ title, texts, list, button, notice, children }: ListPageProps<Item>) {
  const { data = [] } = list;
  return (
    <>
      <PageHead title={title} about={texts.about}>
        {data.length > 0 && button}
      </PageHead>
      {notice}
      <LoadState {...list} />
      {list.data?.length === 0 && (
        <EmptyState title={texts.none} text={texts.noneText}>
          {button}
        </EmptyState>
      )}
      {data.length > 0 && children(data)}
    </>
  );
}

interface CardProps {
  title: string;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a page, with its title. */
export function Card({ title, actions, children }: CardProps) {
  const id = useId();
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

/** A pair of a list of facts (`<dl class="facts">`), where there is a value. */
export function fact(label: string, value: ComponentChildren) {
  if (value === undefined || value === null || value === false) return null;
  return (
    <div key={label}>
      <dt>{label}</dt>
      <dd>{value}</dd>
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
