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
  description: 'Retrieves a domain and its verification status. To follow the verification, poll this operation.',
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
    'Responds with server-sent events until the client disconnects. The request needs the header `Accept: text/event-stream`.',
    '`domain`: the domain, as `domains.getDomain` returns it. The first comes at once, the others within a second of each change. Several changes in quick succession, or while a slow client is behind, become one event with the newest state.',
    '`ready_to_switch`: sent before each `domain` event while the domain is not verified but its certificate is already in use. The customer can change the routing record. `since` is the time from which the certificate has been in use.',
    '`end`: the last event. It has a `reason`. `domain_gone`: the domain was deleted, or the key can no longer read it. `access_ended`: the key or its workspace no longer works. Both come with the `error` that a new request would get. `server_stopping`: connect again.',
    'When the connection is lost, connect again with the id of the last event as `Last-Event-ID`. A client that already has the current state gets nothing until the state changes. The server sends a comment every 15 seconds to show that the connection works. A client that reads nothing for 30 seconds is disconnected.',
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
