import { useEffect, useState } from 'preact/hooks';
import { DomainConnect, useOffer } from './domain-connect.tsx';
import type { Following } from './follow.ts';
import { Icon, type IconName, Prose } from './inline.tsx';
import { pathIn } from './languages/panels.ts';
import { VOICE } from './languages/voice.ts';
import { unicodeForm } from './names.ts';
import { isLacking, isThere } from './record-view.ts';
import { RecordList } from './records.tsx';
import type { SetupState } from './setup-state.ts';
import { TEXT } from './text.ts';
import { routes, type Task, type View } from './view.ts';

interface CurrentStepProps {
  state: SetupState;
  view: View;
  following: Following | null;
  heading: 1 | 2;
}

/** The one step to take, or to wait for. */
export function CurrentStep({ state, view, following, heading }: CurrentStepProps) {
  const Heading = heading === 1 ? 'h2' : 'h3';
  const { stage, finding, task } = view;
  const { diagnosis, certificate, brand } = state;
  const caa = view.caa === null ? 0 : 1;
  const { title, text } = TEXT.stages[stage]({
    provider: diagnosis?.zone?.provider?.name,
    platform: brand.name,
    needsCaa: view.caa !== null,
    found: view.records.filter(isThere).length,
    records: view.records.length + caa,
    lacking: view.records.filter(isLacking).length + caa,
    missing: task?.adds.length ?? 0,
    isGone: view.records[0]?.state === 'gone',
    wrong: task?.count ?? 0,
  });
  const reason = reasonOf(state, view);
  const offer = useOffer(view, following, heading === 1);
  return (
    <section class={`card current-step ${stage}`}>
      {/* Read out when it changes: what is in it is short. */}
      <div role="status">
        <Heading>
          <Icon name={ICONS[stage]} />
          {title}
        </Heading>
        {reason !== undefined && <Prose {...reason} />}
        {text !== '' && <p>{text}</p>}
        {/* A fix that changes no record is told. */}
        {finding !== null && task === null && finding.fix !== '' && <Prose text={finding.fix} lang={finding.lang} />}
      </div>
      {stage === 'fix' && view.moving?.state === 'missing' && <p class="note">{TEXT.movingFirst}</p>}
      <DomainConnect offer={offer} isOpen={task !== null} following={following} isPage={heading === 1} />
      {task !== null && <Steps task={task} view={view} heading={heading} isMain={offer === null} />}
      {stage === 'certificate_refused' && certificate?.problem !== undefined && (
        <details>
          <summary>{TEXT.details}</summary>
          <Prose text={certificate.problem.message} lang="en" />
        </details>
      )}
      {SERVED.has(stage) && view.records[1]?.state === 'not_needed' && <p class="note">{TEXT.noTxt}</p>}
      {stage === 'live' && <WithoutWww view={view} />}
      <MainLink state={state} view={view} />
      {stage === 'live' && certificate?.issued !== undefined && (
        <p class="note">{TEXT.validUntil(certificate.issued.notAfter)}</p>
      )}
      <Check state={state} view={view} following={following} />
    </section>
  );
}

/** The records that were to be added are folded there. */
const SERVED = new Set<View['stage']>(['certificate', 'live']);

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
  certificate_refused: 'clock',
  live: 'lock',
  live_at_risk: 'alert',
};

function reasonOf(
  { certificate }: SetupState,
  { stage, finding }: View,
): { text: string; lang?: string | undefined } | undefined {
  // The finding is current, and says which record to type: the last attempt to get a certificate may be older.
  if (finding !== null) return { text: finding.message, lang: finding.lang };
  if ((stage !== 'certificate_blocked' && stage !== 'preparing') || certificate?.problem === undefined)
    return undefined;
  return VOICE.tellProblem(certificate);
}

/** Where to go, what to change there, and to come back. */
function Steps({ task, view, heading, isMain }: { task: Task; view: View; heading: 1 | 2; isMain: boolean }) {
  const { zone } = task;
  const provider = zone?.provider;
  const shown = zone && (unicodeForm(zone.name) ?? zone.name);
  return (
    <ol class="task">
      <li>
        <p>{provider === undefined ? TEXT.logIn(shown) : TEXT.logInAt(provider.name)}</p>
        {shown && (
          <p class="note">
            <bdi>
              {provider === undefined
                ? TEXT.whereUnknown(zone?.nameservers.slice(0, 2).map(({ name }) => name) ?? [])
                : (pathIn(TEXT.panels, provider.id, shown) ?? TEXT.whereShort(shown))}
            </bdi>
          </p>
        )}
        {provider?.id === 'cloudflare' && routes(view) && <p class="note">{TEXT.dnsOnly}</p>}
        {provider?.panel?.startsWith('https://') && (
          <ButtonLink href={provider.panel} isMain={isMain && view.main === 'panel'}>
            {TEXT.panel(provider.name)}
          </ButtonLink>
        )}
      </li>
      <li>
        {task.kind === 'told' ? (
          <Prose text={view.finding?.fix ?? ''} lang={view.finding?.lang} />
        ) : (
          <p>
            {TEXT.hints[task.kind](task)}
            {task.adds.length > 0 && TEXT.space + TEXT.alsoAdd(addedOf(task))}
          </p>
        )}
        {task.mayKeep && <p class="note">{TEXT.mayKeep}</p>}
        {task.kind !== 'delete' && <p class="note">{TEXT.ttl}</p>}
        <WithoutWww view={view} />
        <RecordList view={view} heading={heading} isTask />
      </li>
      <li>
        <p>{TEXT.comeBack}</p>
      </li>
    </ol>
  );
}

function WithoutWww({ view: { www } }: { view: View }) {
  if (www === null) return null;
  const shown = unicodeForm(www) ?? www;
  return <p class="note">{TEXT.withoutWww(shown.slice('www.'.length), shown)}</p>;
}

/** Null where its type would not tell it from the record that is changed, or from another one. */
function addedOf({ adds, type }: Task): string | null {
  const [first = null] = adds;
  return adds.length === 1 && first !== type ? first : null;
}

function MainLink({ state: { domain, brand }, view: { main } }: { state: SetupState; view: View }) {
  if (main === 'visit' && domain !== null) {
    return (
      <ButtonLink href={`https://${domain.domain}/`} isMain>
        {TEXT.visit(unicodeForm(domain.domain) ?? domain.domain)}
      </ButtonLink>
    );
  }
  if (main !== 'support' || brand.support === undefined) return null;
  return (
    <ButtonLink href={brand.support} isMain>
      {TEXT.contact(brand.name)}
    </ButtonLink>
  );
}

/** A page opens in a new tab, so that this one stays. */
function ButtonLink({ href, isMain, children }: { href: string; isMain: boolean; children: string }) {
  const isPage = href.startsWith('https:');
  return (
    <a class={isMain ? 'button' : 'button quiet'} href={href} {...(isPage && { target: '_blank', rel: 'noreferrer' })}>
      {children}
      {isPage && <Icon name="external" />}
      {isPage && <span class="sr">{TEXT.opensInNewTab}</span>}
    </a>
  );
}

/** The time of the next check, a button for a check now, and the result of the last one. */
function Check({ state, view, following }: Omit<CurrentStepProps, 'heading'>) {
  const { isChecking, busyUntil, asked } = state;
  const now = useClock();
  const seconds = busyUntil === null ? 0 : Math.ceil((busyUntil - now) / 1000);
  const isBusy = isChecking || seconds > 0;
  const isMain = view.main === 'restart';
  const next = nextOf(state, view, now);
  const label = isMain ? TEXT.tryAgain : TEXT.checkNow;
  return (
    <div class="check">
      {view.canCheck && (
        <button
          type="button"
          class={isMain ? 'button' : 'button quiet'}
          aria-disabled={isBusy}
          onClick={() => {
            if (!isBusy) following?.check();
          }}
        >
          {isChecking ? TEXT.checking : seconds > 0 ? TEXT.checkAgain(seconds) : label}
        </button>
      )}
      {next !== '' && <p class="note">{next}</p>}
      {view.canCheck && (
        <p class="note asked" role="status">
          {asked !== null && TEXT.asked[asked.outcome](asked.at)}
        </p>
      )}
    </div>
  );
}

/** Tells which step follows without the visitor, and when. */
function nextOf({ diagnosis, certificate, clockOffset }: SetupState, { stage }: View, now: number): string {
  const secondsTo = (at: number) => Math.ceil((at - clockOffset - now) / 1000);
  if (stage === 'certificate_blocked' || stage === 'certificate_refused') {
    const { nextTryAt, state } = certificate ?? {};
    if (nextTryAt === undefined) return '';
    const next = TEXT.nextTry(nextTryAt, secondsTo(nextTryAt));
    // Otherwise the certificate authority has refused, and there may be nothing to change.
    return state === 'waiting_for_routing' ? next + TEXT.space + TEXT.nextTrySees : next;
  }
  if (stage === 'failed' || stage === 'live' || stage === 'live_at_risk' || stage === 'certificate') return '';
  const { nextCheckAt, windowEndsAt } = diagnosis?.schedule ?? {};
  const seconds = nextCheckAt === undefined ? null : secondsTo(nextCheckAt);
  const next = seconds === null ? [] : [seconds > 0 ? TEXT.nextCheck(seconds) : TEXT.checkingSoon];
  return [...next, ...(windowEndsAt === undefined ? [] : [TEXT.until(windowEndsAt)])].join(TEXT.space);
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
