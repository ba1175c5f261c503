import type { Certificate, Site } from '../../client/client.ts';
import { Code, Prose } from '../inline.tsx';
import { VOICE } from '../languages/voice.ts';
import { liveProblems } from './live-problems.ts';
import { Badge, Card, fact, type Tone } from './parts.tsx';
import { TEXT, wordFor } from './text.ts';
import { Ago } from './time.tsx';

/** Shows what visitors get beside what the store has: each may be right while the other is wrong. */
export function CertificateCard({ site, certificate }: { site: Site; certificate: Certificate | null }) {
  return (
    <Card title={TEXT.domain.certificate.title}>
      <div class="beside">
        <section>
          <h3>{TEXT.domain.certificate.visitors}</h3>
          <Outside site={site} />
        </section>
        <section>
          <h3>{TEXT.domain.certificate.store}</h3>
          {certificate && <Stored certificate={certificate} />}
        </section>
      </div>
    </Card>
  );
}

function Outside({ site: { live, domain } }: { site: Site }) {
  if (live === undefined)
    return (
      <p>
        <Badge tone="quiet">
          {domain.status === 'verified' ? TEXT.domain.certificate.notSeen : TEXT.domain.certificate.notVerified}
        </Badge>
      </p>
    );
  const problems = liveProblems(live);
  return (
    <>
      <p>
        <Badge tone={live.state === 'live' ? 'good' : live.state === 'partly_live' ? 'warn' : 'bad'}>
          {live.state === 'live'
            ? TEXT.domain.certificate.right
            : wordFor(TEXT.domain.problems, live.problem ?? live.state)}
        </Badge>
      </p>
      {problems !== '' && (
        <p class="problem">
          <bdi>{problems}</bdi>
        </p>
      )}
      <p class="note">
        {TEXT.domain.certificate.looked} <Ago at={live.checkedAt} />
        {live.addresses.length > 0 && (
          <>
            {TEXT.signs.colon}
            <bdi>{live.addresses.map(({ address }) => address).join(TEXT.signs.comma)}</bdi>
          </>
        )}
      </p>
    </>
  );
}

const TONES: Record<string, Tone> = { issued: 'good', renewing: 'good', failed: 'bad', waiting_for_routing: 'warn' };

function Stored({ certificate }: { certificate: Certificate }) {
  const { state, problem, issued, staged, challenge, failures, nextTryAt } = certificate;
  const texts = TEXT.domain.certificate;
  return (
    <>
      <p>
        <Badge tone={TONES[state] ?? 'quiet'}>{wordFor(texts.states, state)}</Badge>
      </p>
      {problem && <Prose {...VOICE.tellProblem(certificate)} />}
      <dl class="facts">
        {fact(texts.issuer, issued && <Code text={issued.issuer} />)}
        {fact(texts.source, issued && wordFor(texts.sources, issued.source))}
        {fact(texts.validUntil, issued && <Ago at={issued.notAfter} />)}
        {fact(texts.renewAt, issued && <Ago at={issued.renewal.renewAt} />)}
        {fact(texts.fallback, issued?.fallback && <Another certificate={issued.fallback} />)}
        {fact(texts.challenge, challenge)}
        {fact(texts.staged, staged && <Another certificate={staged} />)}
        {fact(texts.failures, failures > 0 && failures)}
        {fact(texts.nextTry, nextTryAt !== undefined && <Ago at={nextTryAt} />)}
        {fact(texts.fingerprint, issued && <Code text={`${issued.fingerprint.slice(0, 23)}…`} />)}
      </dl>
    </>
  );
}

/** Another certificate of the name. */
function Another({ certificate: { issuer, notAfter } }: { certificate: { issuer?: string; notAfter: number } }) {
  return (
    <>
      {issuer !== undefined && <Code text={issuer} />} {TEXT.domain.certificate.validUntil}
      {TEXT.signs.colon}
      <Ago at={notAfter} />
    </>
  );
}
