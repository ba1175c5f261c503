import type { Diagnosis, DiagnosisRecord } from '../../client/client.ts';
import { Code, Prose } from '../inline.tsx';
import type { ToldFinding } from '../languages/voice.ts';
import { comparisonOf } from '../record-view.ts';
import { Records } from '../records.tsx';
import type { View } from '../view.ts';
import { Button } from './button.tsx';
import { difference, type Part } from './domain-facts.ts';
import { LoadFailed } from './load-failed.tsx';
import { Badge, Card, Table, type Tone } from './parts.tsx';
import { TEXT, wordFor } from './text.ts';
import { Ago } from './time.tsx';

interface Looks {
  diagnosis: Diagnosis | null;
  /** The mistake to tell. */
  finding: ToldFinding | null;
  error: unknown;
  isLooking: boolean;
  look(): void;
}

/** The mistake first, then the records as the provider wants them, then what each nameserver has. */
export function DnsRecords({ view, looks }: { view: View; looks: Looks }) {
  const { diagnosis, finding, error, isLooking, look } = looks;
  return (
    <>
      {finding !== null && <FindingCard finding={finding} />}
      <Records view={view} heading={1} />
      <Card
        title={TEXT.domain.nameservers.title}
        actions={
          <Button isSmall isDisabled={isLooking} onClick={look}>
            {TEXT.domain.lookNow}
          </Button>
        }
      >
        <p class="note" aria-busy={isLooking}>
          {diagnosis?.checkedAt === undefined ? (
            TEXT.domain.notLooked
          ) : (
            <>
              {TEXT.domain.lastLook}
              {TEXT.signs.colon}
              <Ago at={diagnosis.checkedAt} />
            </>
          )}
          {diagnosis?.schedule.nextCheckAt !== undefined && (
            <>
              {' · '}
              {TEXT.domain.nextLook}
              {TEXT.signs.colon}
              <Ago at={diagnosis.schedule.nextCheckAt} />
            </>
          )}
        </p>
        {error !== undefined && <LoadFailed error={error} onRetry={look} />}
        {diagnosis && <Answers diagnosis={diagnosis} />}
      </Card>
    </>
  );
}

/** Says what is wrong and how to mend it, with the difference character by character. */
function FindingCard({ finding }: { finding: ToldFinding }) {
  const comparison = comparisonOf(finding);
  return (
    <section class="card current-step fix">
      <h2>{TEXT.domain.fixTitle}</h2>
      <Prose text={finding.message} lang={finding.lang} />
      {finding.fix !== '' && (
        <div class="fix">
          <Prose text={finding.fix} lang={finding.lang} />
        </div>
      )}
      {comparison?.found.map((found) => (
        <Difference key={found} seen={found} expected={comparison.expected} />
      ))}
    </section>
  );
}

function Difference({ seen, expected }: { seen: string; expected: string }) {
  const parts = difference(seen, expected);
  return (
    <dl class="difference">
      <dt>{TEXT.domain.seen}</dt>
      <dd>
        <Marked parts={parts.seen} as="del" />
      </dd>
      <dt>{TEXT.domain.expected}</dt>
      <dd>
        <Marked parts={parts.expected} as="ins" />
      </dd>
    </dl>
  );
}

function Marked({ parts, as: Mark }: { parts: readonly Part[]; as: 'del' | 'ins' }) {
  return (
    <code dir="ltr">
      {parts.map(({ text, differs }, at) => (differs ? <Mark key={at}>{text}</Mark> : <span key={at}>{text}</span>))}
    </code>
  );
}

type Seen = DiagnosisRecord['seen'][number];

const ABSENT = ['nxdomain', 'nodata'];
const FOUND = ['matched', 'other', 'changing'];

function toneOf({ outcome }: Seen): Tone {
  if (outcome === 'matched') return 'good';
  return ABSENT.includes(outcome) ? 'quiet' : 'bad';
}

function Answers({ diagnosis }: { diagnosis: Diagnosis }) {
  const rows = diagnosis.records.flatMap((record) => record.seen.map((seen) => ({ record, seen })));
  if (rows.length === 0) return <p class="note">{TEXT.domain.nameservers.none}</p>;
  return (
    <Table label={TEXT.domain.nameservers.answers} columns={TEXT.domain.nameservers.columns}>
      {rows.map(({ record, seen }) => (
        <tr key={`${record.record} ${seen.nameserver}`}>
          <th scope="row">
            <Code text={seen.nameserver} />
          </th>
          <td class="kind">{record.type}</td>
          <td>
            <Badge tone={toneOf(seen)}>{wordFor(TEXT.domain.outcomes, seen.outcome)}</Badge>
            {seen.outcome !== 'matched' && FOUND.includes(seen.outcome) && <Values record={record} seen={seen} />}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** An address beside a name has nothing in common with it: only values of one kind are compared. */
function Values({ record: { type, expected }, seen: { values, cname = [] } }: { record: DiagnosisRecord; seen: Seen }) {
  const compared = type === 'TXT' ? [...cname, ...values] : cname;
  return (
    <ul class="values">
      {[...cname, ...values].map((each) => (
        <li key={each}>
          {compared.includes(each) ? <Marked parts={difference(each, expected).seen} as="del" /> : <Code text={each} />}
        </li>
      ))}
    </ul>
  );
}
