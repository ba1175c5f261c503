import type { Site } from '../../client/client.ts';
import { Code, Name } from '../inline.tsx';
import { Fact } from './domain-certificate.tsx';
import { DOMAIN_TEXT } from './domain-text.ts';
import { Card } from './parts.tsx';
import { Ago } from './time.tsx';

const { site: TEXTS } = DOMAIN_TEXT;

/** Where requests go, and the data of the platform. */
export function SiteCard({ site }: { site: Site }) {
  const { domain, origin, redirect, suspension, settings, externalId, metadata = {} } = site;
  return (
    <Card title={TEXTS.title}>
      <dl class="facts">
        {suspension && (
          <Fact label={TEXTS.suspended}>
            <Ago at={suspension.suspendedAt} /> ({suspension.status})
            {suspension.by === 'operator' && ` ${TEXTS.byOperator}`}
          </Fact>
        )}
        {redirect && (
          <Fact label={TEXTS.redirect}>
            <Name name={redirect.to} /> ({redirect.status})
          </Fact>
        )}
        <Fact label={TEXTS.origin}>
          {origin === undefined ? (
            TEXTS.noOrigin
          ) : (
            <>
              <Code text={origin.url} /> {settings?.origin !== undefined && TEXTS.ownOrigin}
            </>
          )}
        </Fact>
        {settings?.minTlsVersion && <Fact label={TEXTS.minTls}>{settings.minTlsVersion}</Fact>}
        {settings?.hsts && <Fact label={TEXTS.hsts}>{settings.hsts.maxAge}</Fact>}
        {settings?.redirectToHttps === false && <Fact label={TEXTS.http}>{TEXTS.httpServed}</Fact>}
        {externalId !== undefined && (
          <Fact label={TEXTS.externalId}>
            <Code text={externalId} />
          </Fact>
        )}
        {Object.entries(metadata).map(([key, value]) => (
          <Fact key={key} label={key}>
            <bdi>{value}</bdi>
          </Fact>
        ))}
        <Fact label={TEXTS.id}>
          <Code text={domain.id} />
        </Fact>
      </dl>
    </Card>
  );
}
