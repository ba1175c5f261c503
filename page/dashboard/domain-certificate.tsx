import type { ComponentChildren } from 'preact';
import type { Certificate, Site } from '../../client/client.ts';
import { Code } from '../inline.tsx';
import { DOMAIN_TEXT } from './domain-text.ts';
import { Badge, Card, type Tone } from './parts.tsx';
import { liveProblems } from './site-state.ts';
import { Ago } from './time.tsx';

const { certificate: TEXTS } = DOMAIN_TEXT;

/** Shows what visitors get beside what the store has: each may be right while the other is wrong. */
export function CertificateCard({ site, certificate }: { site: Site; certificate: Certificate | null }) {
  return (
    <Card title={TEXTS.title}>
      <div class="beside">
        <section>
          <h3>{TEXTS.visitors}</h3>
          <Outside site={site} />
        </section>
        <section>
          <h3>{TEXTS.store}</h3>
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
        <Badge tone="quiet">{domain.status === 'verified' ? TEXTS.notSeen : TEXTS.notVerified}</Badge>
      </p>
    );
  const problems = liveProblems(live);
  return (
    <>
      <p>
        <Badge tone={live.state === 'live' ? 'good' : live.state === 'partly_live' ? 'warn' : 'bad'}>
          {live.state === 'live' ? TEXTS.right : DOMAIN_TEXT.problemOf(live.problem ?? live.state)}
        </Badge>
      </p>
      {problems !== '' && (
        <p class="problem">
          <bdi>{problems}</bdi>
        </p>
      )}
      <p class="note">
        {TEXTS.looked} <Ago at={live.checkedAt} />
        {live.addresses.length > 0 && (
          <>
            {': '}
            <bdi>{live.addresses.map(({ address }) => address).join(', ')}</bdi>
          </>
        )}
      </p>
    </>
  );
}

const TONES: Record<string, Tone> = { issued: 'good', renewing: 'good', failed: 'bad', waiting_for_routing: 'warn' };

function textOf(texts: Record<string, string>, key: string): string {
  return Object.hasOwn(texts, key) ? (texts[key] as string) : key.replaceAll('_', ' ');
}

function Stored({ certificate }: { certificate: Certificate }) {
  const { state, problem, issued, staged, challenge, failures, nextTryAt } = certificate;
  return (
    <>
      <p>
        <Badge tone={TONES[state] ?? 'quiet'}>{textOf(TEXTS.states, state)}</Badge>
      </p>
      {problem && <p class="problem">{problem.message}</p>}
      <dl class="facts">
        {issued && (
          <>
            <Fact label={TEXTS.issuer}>
              <Code text={issued.issuer} />
            </Fact>
            <Fact label={TEXTS.source}>{textOf(TEXTS.sources, issued.source)}</Fact>
            <Fact label={TEXTS.validUntil}>
              <Ago at={issued.notAfter} />
            </Fact>
            <Fact label={TEXTS.renewAt}>
              <Ago at={issued.renewal.renewAt} />
            </Fact>
            {issued.fallback && (
              <Fact label={TEXTS.fallback}>
                <Code text={issued.fallback.issuer} />, <Ago at={issued.fallback.notAfter} />
              </Fact>
            )}
          </>
        )}
        {challenge && <Fact label={TEXTS.challenge}>{challenge}</Fact>}
        {staged && (
          <Fact label={TEXTS.staged}>
            {TEXTS.validUntil.toLowerCase()} <Ago at={staged.notAfter} />
          </Fact>
        )}
        {failures > 0 && <Fact label={TEXTS.failures}>{failures}</Fact>}
        {nextTryAt !== undefined && (
          <Fact label={TEXTS.nextTry}>
            <Ago at={nextTryAt} />
          </Fact>
        )}
        {issued && (
          <Fact label={TEXTS.fingerprint}>
            <Code text={`${issued.fingerprint.slice(0, 23)}…`} />
          </Fact>
        )}
      </dl>
    </>
  );
}

export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
