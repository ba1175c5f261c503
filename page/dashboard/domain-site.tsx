import type { Site } from '../../client/client.ts';
import { Code, Name } from '../inline.tsx';
import { Card, fact } from './parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';

/** Where requests go, and the data of the platform. */
export function SiteCard({ site }: { site: Site }) {
  const { domain, origin, redirect, suspension, settings, externalId, metadata = {} } = site;
  const texts = TEXT.domain.site;
  return (
    <Card title={texts.title}>
      <dl class="facts">
        {suspension &&
          fact(
            texts.suspended,
            <>
              <Ago at={suspension.suspendedAt} /> ({suspension.status}){' '}
              {suspension.by === 'operator' && texts.byOperator}
            </>,
          )}
        {redirect &&
          fact(
            texts.redirect,
            <>
              <Name name={redirect.to} /> ({redirect.status})
            </>,
          )}
        {fact(
          texts.origin,
          <>
            {origin ? <Code text={origin.url} /> : texts.noOrigin} {origin && settings?.origin && texts.ownOrigin}
          </>,
        )}
        {fact(texts.minTls, settings?.minTlsVersion)}
        {fact(texts.hsts, settings?.hsts?.maxAge)}
        {fact(texts.http, settings?.redirectToHttps === false && texts.httpServed)}
        {fact(texts.externalId, externalId !== undefined && <Code text={externalId} />)}
        {Object.entries(metadata).map(([key, value]) => fact(key, <bdi>{value}</bdi>))}
        {fact(texts.id, <Code text={domain.id} />)}
      </dl>
    </Card>
  );
}
