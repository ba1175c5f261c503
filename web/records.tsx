import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';
import type { Followed } from './follow.ts';
import { Icon, type IconName } from './icon.tsx';
import { unicodeForm } from './names.ts';
import { Code } from './prose.tsx';
import { TEXT } from './text.ts';
import type { RecordState, RecordView, Seen, View } from './view.ts';

/** The records to publish, and what the nameservers have. */
export function Records({ followed, view, heading }: { followed: Followed; view: View; heading: 1 | 2 }) {
  const Heading = heading === 1 ? 'h2' : 'h3';
  const isOver = view.stage === 'live' || view.stage === 'certificate';
  const list = (
    <>
      {!isOver && <Where followed={followed} />}
      {view.records.map((record) => (
        <RecordCard key={record.record} record={record} heading={heading} />
      ))}
    </>
  );
  if (isOver) {
    return (
      <details class="records">
        <summary>{TEXT.records}</summary>
        {list}
      </details>
    );
  }
  return (
    <section class="records" aria-labelledby="np-records">
      <Heading id="np-records">{TEXT.records}</Heading>
      {list}
    </section>
  );
}

/** Where at the provider the records are added. */
function Where({ followed: { domain, diagnosis } }: { followed: Followed }) {
  const zone = diagnosis?.zone;
  if (zone === undefined || domain === null) return null;
  const { provider } = zone;
  const shown = unicodeForm(zone.name) ?? zone.name;
  const nameservers = zone.nameservers.slice(0, 2).map(({ name }) => name);
  return (
    <div class="where">
      <p>
        <strong>{TEXT.whereTitle}</strong>{' '}
        <bdi>
          {provider === undefined
            ? TEXT.whereUnknown(shown, nameservers)
            : (TEXT.where(provider.id, shown) ?? TEXT.whereShort(shown))}
        </bdi>{' '}
        {TEXT.ttl}
      </p>
      {provider?.panel?.startsWith('https://') && (
        <a class="button quiet" href={provider.panel} target="_blank" rel="noreferrer">
          {TEXT.panel(provider.name)}
          <Icon name="external" />
          <span class="sr">{TEXT.opensInNewTab}</span>
        </a>
      )}
    </div>
  );
}

const STATE_ICONS: Record<RecordState, IconName> = {
  unknown: 'dots',
  found: 'check',
  hidden: 'check',
  missing: 'ring',
  wrong: 'alert',
  unreadable: 'alert',
  not_needed: 'check',
};

function RecordCard({ record, heading }: { record: RecordView; heading: 1 | 2 }) {
  const Heading = heading === 1 ? 'h3' : 'h4';
  const { type, name, entered, value, state } = record;
  const isFull = entered === name;
  return (
    <article class={`card record ${state}`}>
      <header>
        <Heading>{TEXT.recordTitle(type)}</Heading>
        <span class="chip">
          <Icon name={STATE_ICONS[state]} />
          {TEXT.recordState(state)}
        </span>
      </header>
      <p class="purpose">
        {TEXT.purpose(record.record, record.needed)} {type === 'ALIAS' && TEXT.alias}
      </p>
      <dl>
        <Field label={TEXT.name} text={entered} type={type}>
          {!isFull && (
            <span class="full">
              {TEXT.fullName} <bdi>{name}</bdi>
            </span>
          )}
        </Field>
        <Field label={TEXT.value} text={value} type={type} />
      </dl>
      {record.seen.length > 0 && <SeenNow seen={record.seen} />}
    </article>
  );
}

interface FieldProps {
  label: string;
  text: string;
  /** Of the record, where the text is to be copied. */
  type?: string;
  children?: ComponentChildren;
}

function Field({ label, text, type, children }: FieldProps) {
  return (
    <div class="field">
      <dt>{label}</dt>
      <dd>
        {text === '' ? <em>{TEXT.emptyName}</em> : <Code text={text} />}
        {children}
      </dd>
      {type !== undefined && text !== '' && (
        <dd class="do">
          <CopyButton text={text} what={TEXT.copyWhat(label, type)} />
        </dd>
      )}
    </div>
  );
}

function SeenNow({ seen }: { seen: Seen[] }) {
  return (
    <div class="seen">
      <p class="seen-title">{TEXT.seenNow}</p>
      <ul>
        {seen.map(({ outcome, values, nameservers }) => (
          <li key={`${outcome} ${values.join(' ')}`} class={outcome}>
            <span class="outcome">{TEXT.seen(outcome)}</span>
            {outcome === 'other' && values.map((value) => <Code key={value} text={value} />)}
            <span class="at">
              {TEXT.at} <bdi>{nameservers.join(', ')}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
