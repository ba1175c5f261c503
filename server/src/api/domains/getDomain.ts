import Type from 'typebox';
import { presentDomain } from '../../domain/presented-domain.ts';
import { defineOperation, defineStream, PresentedOnce } from '../operation.ts';
import { closed } from '../schemas.ts';
import { forCustomer } from '../setup/session-scope.ts';
import { formatEvent, formatRetry } from '../watchers/event-stream.ts';
import { DomainIdentifier, DomainSchema, exampleDomain } from './present-domain.ts';

const permission = { resource: 'environment', action: 'read_domain' } as const;

export const getDomain = defineOperation({
  name: 'domains.getDomain',
  summary: 'Get a domain',
  description: 'Retrieves a domain and its verification status. Poll it to follow the progress of the verification.',
  permission,
  sessions: ['setup'],
  request: Type.Object({ domain: DomainIdentifier }, closed),
  response: DomainSchema,
  problems: ['data/domain_not_found'],
  example: { request: { domain: exampleDomain.name }, response: presentDomain(exampleDomain) },
  async handle({ principal, input, find }, { apexNote }) {
    const found = await find.domain(input.domain);
    const domain = principal.session === undefined ? found : forCustomer(found);
    return new PresentedOnce(domain, () => presentDomain(domain, apexNote));
  },
});

export const watchDomain = defineStream({
  name: 'domains.watchDomain',
  summary: 'Watch a domain',
  description: [
    'Responds with server-sent events, for as long as the client likes. Needs `Accept: text/event-stream`.',
    '`domain`: the domain, as `domains.getDomain` returns it. The first one comes at once, further ones within a second of each change. Changes in quick succession, and those that a slow client misses, are one event: the newest state.',
    '`ready_to_switch`: before each state of a domain that is not verified, while its certificate is in use. The routing record may be changed now. It has `since`.',
    '`end`: the last event. Its `reason` is `domain_gone` (deleted, or the key may no longer see it) or `access_ended` (the key or its workspace no longer works). Both have the `error` that a request would get now. For `server_stopping`, connect again.',
    'When the connection is lost, connect again with the id of the last event as `Last-Event-ID`. A client that has the present state gets nothing until it changes. A comment every 15 seconds shows that the connection works. A client that reads nothing for 30 seconds is disconnected.',
  ].join('\n\n'),
  permission,
  sessions: ['setup'],
  request: Type.Object({ domain: DomainIdentifier }, closed),
  problems: ['data/domain_not_found', 'request/not_acceptable', 'limits/too_many_watchers'],
  example: {
    request: { domain: exampleDomain.name },
    response:
      formatRetry(1000) +
      formatEvent('domain', presentDomain(exampleDomain), `${exampleDomain.id}.1.${exampleDomain.updatedAt}`),
  },
  open({ principal, input: { domain } }, { request, reply }, watchers) {
    return watchers.open(request, reply, { principal, permission, domain });
  },
});
