import type { Certificate, Site } from '../../client/client.ts';
import { Code, Prose } from '../inline.tsx';
import { VOICE } from '../languages/voice.ts';
import { liveProblems } from './live-problems.ts';
import { Badge, Card, Fact, type Tone } from './parts.tsx';
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
  return (
    <>
      <p>
        <Badge tone={TONES[state] ?? 'quiet'}>{wordFor(TEXT.domain.certificate.states, state)}</Badge>
      </p>
      {problem && <Prose {...VOICE.tellProblem(certificate)} />}
      <dl class="facts">
        {issued && (
          <>
            <Fact label={TEXT.domain.certificate.issuer}>
              <Code text={issued.issuer} />
            </Fact>
            <Fact label={TEXT.domain.certificate.source}>
              {wordFor(TEXT.domain.certificate.sources, issued.source)}
            </Fact>
            <Fact label={TEXT.domain.certificate.validUntil}>
              <Ago at={issued.notAfter} />
            </Fact>
            <Fact label={TEXT.domain.certificate.renewAt}>
              <Ago at={issued.renewal.renewAt} />
            </Fact>
            {issued.fallback && (
              <Fact label={TEXT.domain.certificate.fallback}>
                <Code text={issued.fallback.issuer} />
                {TEXT.signs.comma}
                <Ago at={issued.fallback.notAfter} />
              </Fact>
            )}
          </>
        )}
        {challenge && <Fact label={TEXT.domain.certificate.challenge}>{challenge}</Fact>}
        {staged && (
          <Fact label={TEXT.domain.certificate.staged}>
            {TEXT.domain.certificate.validUntil}
            {TEXT.signs.colon}
            <Ago at={staged.notAfter} />
          </Fact>
        )}
        {failures > 0 && <Fact label={TEXT.domain.certificate.failures}>{failures}</Fact>}
        {nextTryAt !== undefined && (
          <Fact label={TEXT.domain.certificate.nextTry}>
            <Ago at={nextTryAt} />
          </Fact>
        )}
        {issued && (
          <Fact label={TEXT.domain.certificate.fingerprint}>
            <Code text={`${issued.fingerprint.slice(0, 23)}…`} />
          </Fact>
        )}
      </dl>
    </>
  );
}
