import { type ComponentChildren, Fragment } from 'preact';
import { CopyButton } from './copy-button.tsx';
import { Breakable, Code, Icon, type IconName, Prose } from './inline.tsx';
import { type CaaView, isThere, type RecordState, type RecordView, type Seen } from './record-view.ts';
import { TEXT } from './text.ts';
import type { View } from './view.ts';

interface RecordsProps {
  view: View;
  heading: 1 | 2;
}

/** The records that are no part of the current step; folded where nothing is to be done with them. */
export function OtherRecords({ view, heading }: RecordsProps) {
  const Heading = heading === 1 ? 'h2' : 'h3';
  const others = view.records.filter(({ isTask }) => !isTask);
  const moving = view.moving !== null && <Moving record={view.moving} heading={heading} />;
  const isMoving = view.moving !== null && !isThere(view.moving);
  if (others.length === 0) return moving && <div class="records">{moving}</div>;
  if (view.stage === 'unseen') {
    return (
      <section class="records" aria-labelledby="np-records">
        <Heading id="np-records">{TEXT.records}</Heading>
        <RecordList view={view} heading={heading} isTask={false} />
      </section>
    );
  }
  return (
    <>
      {isMoving && <div class="records">{moving}</div>}
      <details class="records">
        <summary>{view.task === null ? TEXT.records : TEXT.otherRecords}</summary>
        <RecordList view={view} heading={heading} isTask={false} />
        {!isMoving && moving}
      </details>
    </>
  );
}

/** All records at once, for those who know what they are. */
export function Records({ view, heading }: RecordsProps) {
  const Heading = heading === 1 ? 'h2' : 'h3';
  return (
    <section class="records" aria-labelledby="np-records">
      <Heading id="np-records">{TEXT.records}</Heading>
      {view.records.map((record) => (
        <RecordCard key={record.record} record={record} heading={heading} />
      ))}
      {view.caa !== null && <CaaCard caa={view.caa} heading={heading} />}
      {view.moving !== null && <Moving record={view.moving} heading={heading} />}
    </section>
  );
}

/** The records of the current step, or the others. */
export function RecordList({ view, heading, isTask }: RecordsProps & { isTask: boolean }) {
  const caa = isTask && view.caa !== null && <CaaCard key="caa" caa={view.caa} heading={heading} />;
  const isFirst = view.task?.kind === 'caa';
  return (
    <>
      {isFirst && caa}
      {view.records
        .filter((record) => record.isTask === isTask)
        .map((record) => (
          <RecordCard key={record.record} record={record} heading={heading} />
        ))}
      {!isFirst && caa}
    </>
  );
}

const STATE_ICONS: Record<RecordState, IconName> = {
  unknown: 'dots',
  found: 'check',
  hidden: 'check',
  missing: 'ring',
  misplaced: 'alert',
  gone: 'alert',
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

function RecordCard({ record, heading, purpose = TEXT.purposes[record.record][record.needed] }: RecordCardProps) {
  const Heading = heading === 1 ? 'h3' : 'h4';
  const { type, name, entered, value, state, was, problem } = record;
  // There may be another CNAME record.
  const which = record.record === 'challenge' ? name : null;
  const wrong = (field: 'name' | 'value') => (was?.field === field ? was.found : []);
  const seen = record.seen.filter((each) => isTelling(each, record));
  return (
    <article class={`card record ${state}`}>
      <header>
        <Heading>{TEXT.recordTitle(type)}</Heading>
        <span class="chip">
          <Icon name={STATE_ICONS[state]} />
          {TEXT.recordStates[state]}
        </span>
      </header>
      {problem === null ? (
        <p class="purpose">
          {purpose} {type === 'ALIAS' && TEXT.alias}
        </p>
      ) : (
        <div class="problem">
          <Prose text={problem.message} lang={problem.lang} />
        </div>
      )}
      <dl>
        <NameField entered={entered} name={name} what={copied(TEXT.name, type, which)} was={wrong('name')} />
        <Field label={TEXT.value} text={value} what={copied(TEXT.value, type, which)} was={wrong('value')} />
      </dl>
      {record.instead.length > 0 && state !== 'found' && <Instead records={record.instead} />}
      {seen.length > 0 && <SeenNow seen={seen} />}
    </article>
  );
}

/** Read out after “Copy”. `which`: tells it from others of the same type. */
function copied(what: string, type: string, which: string | null): string {
  return TEXT.copyWhat(what, type) + (which === null ? '' : TEXT.colon + which);
}

/** Whether it says more than the state of the record and the values beside the right ones. */
function isTelling({ outcome }: Seen, { seen, was }: RecordView): boolean {
  if (seen.length > 1) return true;
  if (outcome === 'other') return was === null;
  return outcome === 'leads_here' || outcome === 'unreadable';
}

/** Where the provider has no record of the type that leads the apex to a host. */
function Instead({ records }: { records: RecordView['instead'] }) {
  const isOnly = (type: string) => records.filter((each) => each.type === type).length === 1;
  return (
    <div class="instead">
      <p>{TEXT.noAlias(records.length)}</p>
      <dl>
        {records.map(({ type, value }) => (
          <Field key={value} label={type} text={value} what={copied(TEXT.value, type, isOnly(type) ? null : value)} />
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
          <NameField entered={entered} name={name} what={TEXT.copyWhat(TEXT.name, 'CAA')} was={[]} />
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

interface NameFieldProps {
  /** The text to type in the provider's panel; null: not known yet. */
  entered: string | null;
  name: string;
  /** Read out after “Copy”. */
  what: string;
  was: readonly string[];
}

function NameField({ entered, name, what, was }: NameFieldProps) {
  if (entered === null) {
    return (
      <Field label={TEXT.fullName} text={name}>
        <span class="full">{TEXT.nameUnknown}</span>
      </Field>
    );
  }
  return (
    <Field label={TEXT.name} text={entered} what={what} was={was}>
      {entered !== name && (
        <span class="full">
          {TEXT.fullName}
          {TEXT.colon}
          <bdi>
            <Breakable text={name} />
          </bdi>
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
  /** The texts that are there in its place. */
  was?: readonly string[];
  children?: ComponentChildren;
}

function Field({ label, text, what, was = [], children }: FieldProps) {
  return (
    <div class="field">
      <dt>{label}</dt>
      <dd>
        {was.map((each) => (
          <span key={each} class="was">
            <span class="full">{TEXT.instead}</span> <Code text={each} />
          </span>
        ))}
        {was.length > 0 && <span class="full">{TEXT.replacedBy}</span>}
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
            <span class="outcome">{TEXT.seen[outcome]}</span>{' '}
            {VALUED.has(outcome) &&
              values.map((value) => (
                <Fragment key={value}>
                  <Code text={value} />{' '}
                </Fragment>
              ))}
            <span class="at">
              {TEXT.at}{' '}
              {nameservers.map((name, at) => (
                <Fragment key={name}>
                  {at > 0 && ', '}
                  <bdi class="whole">
                    <Breakable text={name} />
                  </bdi>
                </Fragment>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
