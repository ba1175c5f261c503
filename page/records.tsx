import { type ComponentChildren, Fragment } from 'preact';
import { CopyButton } from './copy-button.tsx';
import { Code, Icon, type IconName, Prose } from './inline.tsx';
import { unicodeForm } from './names.ts';
import type { SetupState } from './setup-state.ts';
import { TEXT } from './text.ts';
import type { CaaView, RecordState, RecordView, Seen, View } from './view.ts';

/** The records to publish, and the answers of the nameservers. */
export function Records({ state, view, heading }: { state: SetupState; view: View; heading: 1 | 2 }) {
  const Heading = heading === 1 ? 'h2' : 'h3';
  const isOver = view.stage === 'live' || view.stage === 'certificate';
  const caa = view.caa !== null && <CaaCard caa={view.caa} heading={heading} />;
  // The list is the only step to take.
  const isFirst = view.stage === 'certificate_blocked';
  const list = (
    <>
      {!isOver && <Where state={state} />}
      {isFirst && caa}
      {view.records.map((record) => (
        <RecordCard key={record.record} record={record} heading={heading} />
      ))}
      {!isFirst && caa}
      {view.moving !== null && <Moving record={view.moving} heading={heading} />}
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
function Where({ state: { domain, diagnosis } }: { state: SetupState }) {
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
  later: 'clock',
};

/** The optional record of a name that serves a site elsewhere. */
function Moving({ record, heading }: { record: RecordView; heading: 1 | 2 }) {
  const Heading = heading === 1 ? 'h3' : 'h4';
  return (
    <section class="moving">
      {record.state === 'missing' && (
        <>
          <Heading>{TEXT.movingTitle}</Heading>
          <p>{TEXT.movingText}</p>
        </>
      )}
      <RecordCard record={record} heading={heading} purpose={TEXT.movingPurpose} />
    </section>
  );
}

interface RecordCardProps {
  record: RecordView;
  heading: 1 | 2;
  purpose?: string;
}

function RecordCard({ record, heading, purpose = TEXT.purpose(record.record, record.needed) }: RecordCardProps) {
  const Heading = heading === 1 ? 'h3' : 'h4';
  const { type, name, entered, value, state } = record;
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
        {purpose} {type === 'ALIAS' && TEXT.alias}
      </p>
      <dl>
        <NameField entered={entered} name={name} type={type} />
        <Field label={TEXT.value} text={value} what={TEXT.copyWhat(TEXT.value, type)} />
      </dl>
      {record.instead.length > 0 && state !== 'found' && <Instead records={record.instead} />}
      {record.seen.length > 0 && <SeenNow seen={record.seen} />}
      {record.fix !== '' && (
        <div class="fix">
          <Prose text={record.fix} lang={record.fixLang} />
        </div>
      )}
    </article>
  );
}

/** Where the provider has no record of the type that leads the apex to a host. */
function Instead({ records }: { records: RecordView['instead'] }) {
  return (
    <div class="instead">
      <p>{TEXT.noAlias(records.length)}</p>
      <dl>
        {records.map(({ type, value }) => (
          <Field key={value} label={type} text={value} what={TEXT.copyWhat(TEXT.value, type)} />
        ))}
      </dl>
    </div>
  );
}

function CaaCard({ caa, heading }: { caa: CaaView; heading: 1 | 2 }) {
  const Heading = heading === 1 ? 'h3' : 'h4';
  const { name, entered, flags, tag, value, seen } = caa;
  return (
    <article class="card record missing">
      <header>
        <Heading>{TEXT.recordTitle('CAA')}</Heading>
        <span class="chip">
          <Icon name="ring" />
          {TEXT.caaState}
        </span>
      </header>
      <p class="purpose">{TEXT.caaPurpose}</p>
      <dl>
        {entered === null ? (
          <Field label={TEXT.fullName} text={name}>
            <span class="full">{TEXT.fullNameHint}</span>
          </Field>
        ) : (
          <NameField entered={entered} name={name} type="CAA" />
        )}
        <Field label={TEXT.flags} text={flags} />
        <Field label={TEXT.tag} text={tag} />
        <Field label={TEXT.value} text={value} what={TEXT.copyWhat(TEXT.value, 'CAA')} />
      </dl>
      {seen.length > 0 && (
        <div class="seen">
          <p class="seen-title">{TEXT.seenNow}</p>
          <ul>
            {seen.map((each) => (
              <li key={each}>
                <Code text={each} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </article>
  );
}

/** `entered`: the text to type in the provider's panel. */
function NameField({ entered, name, type }: { entered: string; name: string; type: string }) {
  return (
    <Field label={TEXT.name} text={entered} what={TEXT.copyWhat(TEXT.name, type)}>
      {entered !== name && (
        <span class="full">
          {TEXT.fullName}: <bdi>{name}</bdi>
        </span>
      )}
    </Field>
  );
}

interface FieldProps {
  label: string;
  text: string;
  /** Read out after “Copy”, where the text is to be copied. */
  what?: string;
  children?: ComponentChildren;
}

function Field({ label, text, what, children }: FieldProps) {
  return (
    <div class="field">
      <dt>{label}</dt>
      <dd>
        {text === '' ? <em>{TEXT.emptyName}</em> : <Code text={text} />}
        {children}
      </dd>
      {what !== undefined && text !== '' && (
        <dd class="do">
          <CopyButton text={text} what={what} />
        </dd>
      )}
    </div>
  );
}

/** Outcomes whose values are shown. */
const VALUED = new Set<Seen['outcome']>(['other', 'leads_here']);

function SeenNow({ seen }: { seen: Seen[] }) {
  return (
    <div class="seen">
      <p class="seen-title">{TEXT.seenNow}</p>
      <ul>
        {seen.map(({ outcome, values, nameservers }) => (
          <li key={`${outcome} ${values.join(' ')}`} class={outcome}>
            <span class="outcome">{TEXT.seen(outcome)}</span>{' '}
            {VALUED.has(outcome) &&
              values.map((value) => (
                <Fragment key={value}>
                  <Code text={value} />{' '}
                </Fragment>
              ))}
            <span class="at">
              {TEXT.at} <bdi>{nameservers.join(', ')}</bdi>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
