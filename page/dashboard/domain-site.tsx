import type { Site } from '../../client/client.ts';
import { Code, Name } from '../inline.tsx';
import { Card, Fact } from './parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';

/** Where requests go, and the data of the platform. */
export function SiteCard({ site }: { site: Site }) {
  const { domain, origin, redirect, suspension, settings, externalId, metadata = {} } = site;
  return (
    <Card title={TEXT.domain.site.title}>
      <dl class="facts">
        {suspension && (
          <Fact label={TEXT.domain.site.suspended}>
            <Ago at={suspension.suspendedAt} /> ({suspension.status})
            {suspension.by === 'operator' && ` ${TEXT.domain.site.byOperator}`}
          </Fact>
        )}
        {redirect && (
          <Fact label={TEXT.domain.site.redirect}>
            <Name name={redirect.to} /> ({redirect.status})
          </Fact>
        )}
        <Fact label={TEXT.domain.site.origin}>
          {origin === undefined ? (
            TEXT.domain.site.noOrigin
          ) : (
            <>
              <Code text={origin.url} /> {settings?.origin !== undefined && TEXT.domain.site.ownOrigin}
            </>
          )}
        </Fact>
        {settings?.minTlsVersion && <Fact label={TEXT.domain.site.minTls}>{settings.minTlsVersion}</Fact>}
        {settings?.hsts && <Fact label={TEXT.domain.site.hsts}>{settings.hsts.maxAge}</Fact>}
        {settings?.redirectToHttps === false && (
          <Fact label={TEXT.domain.site.http}>{TEXT.domain.site.httpServed}</Fact>
        )}
        {externalId !== undefined && (
          <Fact label={TEXT.domain.site.externalId}>
            <Code text={externalId} />
          </Fact>
        )}
        {Object.entries(metadata).map(([key, value]) => (
          <Fact key={key} label={key}>
            <bdi>{value}</bdi>
          </Fact>
        ))}
        <Fact label={TEXT.domain.site.id}>
          <Code text={domain.id} />
        </Fact>
      </dl>
    </Card>
  );
}
