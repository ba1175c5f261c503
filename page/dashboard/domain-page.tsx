import { useEffect, useState } from 'preact/hooks';
import type { Site } from '../../client/client.ts';
import { Name } from '../inline.tsx';
import { VOICE } from '../languages/voice.ts';
import { Progress } from '../progress.tsx';
import { INITIAL_STATE } from '../setup-state.ts';
import { viewOf } from '../view.ts';
import { ActionButton } from './action-button.tsx';
import { useDashboard } from './context.ts';
import { Actions } from './domain-actions.tsx';
import { CertificateCard } from './domain-certificate.tsx';
import { honestSteps, newerLook } from './domain-facts.ts';
import { LinksCard } from './domain-links.tsx';
import { DnsRecords } from './domain-records.tsx';
import { SiteCard } from './domain-site.tsx';
import { TimelineCard } from './domain-timeline.tsx';
import { FailedToday, UsageCard, useUsage } from './domain-usage.tsx';
import { useLoad } from './load.ts';
import { isMissing, LoadState } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { WordBadge } from './parts.tsx';
import { siteState } from './site-state.ts';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { useToast } from './toast.tsx';

const SITE_MS = 5_000;
const LOOK_MS = 15_000;

/** One name: what visitors get, what it needs, and what can be done. `isReadOnly`: without anything that changes it. */
export function DomainPage({ id, isReadOnly = false }: { id: string; isReadOnly?: boolean }) {
  const { client } = useDashboard();
  const site = useLoad(id, (signal) => client.domains.getSite({ domain: id }, { signal }), { everyMs: SITE_MS });
  usePageTitle(site.data?.domain.domain ?? TEXT.pages.domains);
  if (isMissing(site.error)) return <Missing id={id} isReadOnly={isReadOnly} onRestored={site.reload} />;
  return (
    <>
      <LoadState {...site} />
      {site.data && <Known site={site.data} isReadOnly={isReadOnly} onChange={site.reload} />}
    </>
  );
}

/** The looks at the DNS: the last check of the background, and one that was asked for. */
function useDiagnosis(site: Site) {
  const { client } = useDashboard();
  const { id: domain, updatedAt } = site.domain;
  const cached = useLoad(
    `${domain} cached`,
    (signal) => client.domains.diagnoseDomain({ domain, cached: true }, { signal }),
    { everyMs: LOOK_MS },
  );
  const asked = useLoad(domain, (signal) => client.domains.diagnoseDomain({ domain }, { signal }));
  useEffect(cached.reload, [updatedAt, cached.reload]);
  return {
    diagnosis: newerLook(cached.data, asked.data),
    error: asked.error,
    isLooking: asked.isLoading,
    look: asked.reload,
  };
}

function Known({ site, isReadOnly, onChange }: { site: Site; isReadOnly: boolean; onChange: () => void }) {
  const { client } = useDashboard();
  const { id: domain, domain: name } = site.domain;
  const looks = useDiagnosis(site);
  const certificate = useLoad(domain, (signal) => client.domains.getCertificate({ domain }, { signal }), {
    everyMs: LOOK_MS,
  });
  useEffect(certificate.reload, [site.certificate.state, site.certificate.notAfter, certificate.reload]);
  const { diagnosis } = looks;
  const known = { domain: site.domain, diagnosis, certificate: certificate.data ?? null };
  const view = viewOf({ ...INITIAL_STATE, link: 'open', ...known });
  const { word, turn, since, problem } = siteState(site);
  // To this team a record that is not there yet is the cause too.
  const blocking = diagnosis?.findings.filter(({ severity }) => severity === 'blocking').map(VOICE.tellFinding)[0];
  const finding = view?.finding ?? blocking ?? null;
  const usage = useUsage(domain);
  const timeline = <TimelineCard domain={domain} isStale={site.domain.updatedAt ?? 0} />;
  // The records are folded then, and leave room beside the certificate.
  const isOver = view?.stage === 'live' || view?.stage === 'certificate';
  return (
    <div class="domain">
      <header class="about-domain">
        <h1>
          <Name name={name} />
        </h1>
        <p class="actions">
          <WordBadge word={word} />
          <span class="note">
            {since !== null && <Ago at={since} />}
            {turn !== 'nobody' && ` · ${TEXT.domain.turn[turn]}`}
          </span>
        </p>
        {/* A finding says the same, and how to mend it. */}
        {problem !== null && finding === null && (
          <p class="problem" lang={problem.lang}>
            {problem.text}
          </p>
        )}
        {site.suspension === undefined && <FailedToday usage={usage.data} />}
      </header>
      {view && <Progress steps={honestSteps(view.steps, site)} />}
      {!isReadOnly && <Actions site={site} onChange={onChange} />}
      <div class="halves">
        <div class="half">
          {view && <DnsRecords view={view} looks={{ ...looks, finding }} />}
          {isOver && timeline}
        </div>
        <div class="half">
          <CertificateCard site={site} certificate={certificate.data ?? null} />
          <SiteCard site={site} />
          <UsageCard {...usage} />
          {!isReadOnly && <LinksCard domain={domain} name={name} />}
          {!isOver && timeline}
        </div>
      </div>
    </div>
  );
}

/** A deleted domain can be brought back from its address. */
function Missing({ id, isReadOnly, onRestored }: { id: string; isReadOnly: boolean; onRestored: () => void }) {
  const { client } = useDashboard();
  const toast = useToast();
  const [isBack, setBack] = useState(false);
  if (isReadOnly) return <p class="empty">{TEXT.domain.missing}</p>;
  const restore = async () => {
    await client.domains.restoreDomain({ domain: id });
    setBack(true);
    toast({ text: TEXT.domain.delete.undone });
    onRestored();
  };
  return (
    <section class="card">
      <h1>{TEXT.domain.delete.missing}</h1>
      <p>
        <bdi>{id}</bdi>
      </p>
      <p>{TEXT.domain.delete.gone}</p>
      {!isBack && (
        <ActionButton kind="main" run={restore}>
          {TEXT.domain.delete.restore}
        </ActionButton>
      )}
    </section>
  );
}
