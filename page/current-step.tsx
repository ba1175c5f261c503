import { useEffect, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { DomainConnect } from './domain-connect.tsx';
import type { Following } from './follow.ts';
import { Code, Icon, type IconName, Prose } from './inline.tsx';
import { unicodeForm } from './names.ts';
import type { SetupState } from './setup-state.ts';
import { TEXT } from './text.ts';
import { comparisonOf, isLacking, isThere, type View } from './view.ts';

interface CurrentStepProps {
  state: SetupState;
  view: View;
  following: Following | null;
  heading: 1 | 2;
}

/** The one step to take, or to wait for. */
export function CurrentStep({ state, view, following, heading }: CurrentStepProps) {
  const Heading = heading === 1 ? 'h2' : 'h3';
  const { stage, finding } = view;
  const { domain, diagnosis, certificate } = state;
  const caa = view.caa === null ? 0 : 1;
  const { title, text } = TEXT.stage(stage, {
    provider: diagnosis?.zone?.provider?.name,
    needsCaa: view.caa !== null,
    found: view.records.filter(isThere).length,
    records: view.records.length + caa,
    lacking: view.records.filter(isLacking).length + caa,
  });
  const reason = reasonOf(state, view);
  return (
    <section class={`card current-step ${stage}`}>
      {/* Read out when it changes: what is in it is short. */}
      <div role="status">
        <Heading>
          <Icon name={ICONS[stage]} />
          {title}
        </Heading>
        {text !== '' && <p>{text}</p>}
        {reason !== undefined && <Prose text={reason} />}
        {finding !== null && finding.fix !== '' && (
          <div class="fix">
            <Prose text={finding.fix} />
          </div>
        )}
      </div>
      {finding !== null && <Compared finding={finding} />}
      {stage === 'fix' && view.moving?.state === 'missing' && <p class="note">{TEXT.movingFirst}</p>}
      {stage === 'live' && domain !== null && certificate?.issued !== undefined && (
        <>
          {!domain.domain.startsWith('*.') && (
            <a class="button" href={`https://${domain.domain}/`} target="_blank" rel="noreferrer">
              {TEXT.visit(unicodeForm(domain.domain) ?? domain.domain)}
              <Icon name="external" />
              <span class="sr">{TEXT.opensInNewTab}</span>
            </a>
          )}
          <p class="note">{TEXT.validUntil(certificate.issued.notAfter)}</p>
        </>
      )}
      <DomainConnect view={view} following={following} heading={heading} />
      {CHECKED.has(stage) && <Check state={state} view={view} following={following} />}
    </section>
  );
}

const ICONS: Record<View['stage'], IconName> = {
  publish: 'copy',
  one_found: 'ring',
  unseen: 'clock',
  fix: 'alert',
  confirming: 'clock',
  preparing: 'clock',
  ready: 'lock',
  failed: 'alert',
  certificate: 'clock',
  certificate_blocked: 'alert',
  live: 'lock',
  live_at_risk: 'alert',
};

/** Stages with a mistake to fix, or records that are checked. */
const CHECKED = new Set<View['stage']>([
  'publish',
  'one_found',
  'unseen',
  'fix',
  'confirming',
  'preparing',
  'ready',
  'failed',
  'certificate_blocked',
  'live_at_risk',
]);

function reasonOf({ domain, certificate }: SetupState, { stage, finding }: View): string | undefined {
  // The finding is current, and says which record to type: the last attempt to get a certificate may be older.
  if (finding !== null) return finding.message;
  if (stage === 'certificate_blocked' || stage === 'preparing') return certificate?.problem?.message;
  return stage === 'failed' ? domain?.verificationError : undefined;
}

/** Shows the values that were found beside the expected one. */
function Compared({ finding }: { finding: NonNullable<View['finding']> }) {
  const comparison = comparisonOf(finding);
  if (comparison === null) return null;
  const { found, expected } = comparison;
  return (
    <dl class="compared">
      {found.length > 0 && (
        <div class="field was">
          <dt>{TEXT.found}</dt>
          <dd>
            {found.map((value) => (
              <Code key={value} text={value} />
            ))}
          </dd>
        </div>
      )}
      <div class="field">
        <dt>{TEXT.expected}</dt>
        <dd>{expected === '' ? <em>{TEXT.emptyName}</em> : <Code text={expected} />}</dd>
        {expected !== '' && (
          <dd class="do">
            <CopyButton text={expected} what={TEXT.copyExpected} />
          </dd>
        )}
      </div>
    </dl>
  );
}

/** Time of the next check, and a button for a check now. */
function Check({ state, view, following }: Omit<CurrentStepProps, 'heading'>) {
  const { isChecking, busyUntil } = state;
  const now = useClock();
  const isBusy = isChecking || (busyUntil !== null && busyUntil > now);
  const hasFailed = view.stage === 'failed';
  const next = nextOf(state, view, now);
  return (
    <div class="check">
      <button
        type="button"
        class="button"
        aria-disabled={isBusy}
        onClick={() => {
          if (!isBusy) following?.check();
        }}
      >
        {isChecking ? TEXT.checking : hasFailed ? TEXT.tryAgain : TEXT.checkNow}
      </button>
      {next !== '' && <p class="note">{next}</p>}
    </div>
  );
}

/** Tells which step follows without the visitor, and when. */
function nextOf({ diagnosis, certificate, clockOffset }: SetupState, { stage }: View, now: number): string {
  const secondsTo = (at: number) => Math.ceil((at - clockOffset - now) / 1000);
  if (stage === 'certificate_blocked') {
    const { nextTryAt, state } = certificate ?? {};
    if (nextTryAt === undefined) return '';
    const next = TEXT.nextTry(nextTryAt, secondsTo(nextTryAt));
    // Otherwise the certificate authority has refused, and there may be nothing to change.
    return state === 'waiting_for_routing' ? `${next} ${TEXT.nextTrySees}` : next;
  }
  if (stage === 'failed' || stage === 'live_at_risk') return '';
  const { nextCheckAt, windowEndsAt } = diagnosis?.schedule ?? {};
  const seconds = nextCheckAt === undefined ? null : secondsTo(nextCheckAt);
  const next = seconds === null ? [] : [seconds > 0 ? TEXT.nextCheck(seconds) : TEXT.checkingSoon];
  return [...next, ...(windowEndsAt === undefined ? [] : [TEXT.until(windowEndsAt)])].join('. ');
}

/** Returns the time, and updates it each second. */
function useClock(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
