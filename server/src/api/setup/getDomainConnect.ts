import { createPrivateKey, sign } from 'node:crypto';
import Type from 'typebox';
import { connectionOf, connectQuery, keyLabel, keyRecords, templateId } from '../../domain/domain-connect.ts';
import { lookedAt } from '../domains/dns-look.ts';
import { DomainIdentifier, exampleDomain } from '../domains/present-domain.ts';
import { defineOperation } from '../operation.ts';
import { closed } from '../schemas.ts';
import { diagnosisShare } from './session-scope.ts';

const OfferSchema = Type.Object(
  {
    provider: Type.String({
      description: 'Name of the provider, as the provider gives it. Treat it as untrusted text.',
    }),
    host: Type.String({ description: 'Host that the link leads to. Show it next to the name.' }),
    url: Type.String({ description: 'https URL of the page where the customer signs in and agrees.' }),
    state: Type.Optional(
      Type.String({ description: 'With `return`: the value that the provider sends back in the parameter `state`.' }),
    ),
  },
  { title: 'DomainConnectOffer', description: 'The offer to publish the records; absent if the provider cannot.' },
);

export const getDomainConnect = defineOperation({
  name: 'setup.getDomainConnect',
  summary: 'Find out whether the DNS provider can publish the records',
  description:
    'Asks the DNS provider of the domain whether it has the template of this installation (Domain Connect). If it has, `offer` contains a signed link to the page on which the customer agrees to publish the records. If `offer` is absent, the customer publishes the records by hand. Answers of providers are cached for ten minutes, and refusals for one minute.',
  permission: { resource: 'environment', action: 'read_domain' },
  sessions: ['setup'],
  request: Type.Object(
    {
      domain: DomainIdentifier,
      return: Type.Optional(
        Type.Boolean({
          description:
            'If true, the provider sends the browser back to the set-up page. If false, the provider closes its window, so open the link in a new tab. Default: false.',
        }),
      ),
    },
    closed,
  ),
  response: Type.Object({ offer: Type.Optional(OfferSchema) }, { title: 'DomainConnect' }),
  problems: ['data/domain_not_found'],
  example: {
    request: { domain: exampleDomain.name },
    response: {
      offer: {
        provider: 'Example DNS',
        host: 'connect.dns.example',
        url: 'https://connect.dns.example/v2/domainTemplates/providers/example.net/services/custom-domains/apply?domain=acme.com&host=shop&target=x7f3k&token=abc&sig=c2ln&key=_dck-01',
      },
    },
  },
  async handle({ principal, input, find }, { store, diagnoser, settings, randomBytes }) {
    const domain = await find.domain(input.domain);
    const { domainConnect, publicUrl } = settings;
    const keys = domainConnect === undefined ? [] : await store.listConnectKeys();
    if (domainConnect === undefined || keys.length === 0) return {};
    const incumbent = await store.findIncumbent(domain);
    const look = lookedAt(await diagnoser.diagnose({ workspaceId: diagnosisShare(principal), domain, incumbent }));
    const { apex } = look.observation.routing.zone;
    const connection = apex === null ? null : connectionOf(domain, apex, domainConnect);
    if (connection === null) return {};
    const { providerId } = domainConnect;
    const serviceId = templateId(domainConnect, connection.kind);
    const answer = await diagnoser.discoverConnect({
      zone: connection.domain,
      providerId,
      serviceId,
      keys: keys.map(({ id, publicKey }) => ({
        id,
        name: `${keyLabel(id)}.${providerId}`,
        records: keyRecords(publicKey),
      })),
    });
    if ('refused' in answer) return {};
    const key = keys.find(({ id }) => id === answer.keyId);
    // It was deleted since the answer was cached.
    if (key === undefined) return {};
    const state = Buffer.from(randomBytes(18)).toString('base64url');
    const back = input.return && publicUrl !== undefined ? { redirectUri: `${publicUrl}/setup`, state } : null;
    const query = connectQuery(connection, back);
    const privateKey = createPrivateKey({ key: Buffer.from(key.privateKey), format: 'der', type: 'pkcs8' });
    const sig = sign('sha256', Buffer.from(query), privateKey).toString('base64');
    const signed = new URLSearchParams({ sig, key: keyLabel(key.id) });
    const path = `/v2/domainTemplates/providers/${providerId}/services/${serviceId}/apply`;
    const { provider, syncUrl } = answer;
    return {
      offer: {
        provider,
        host: new URL(syncUrl).host,
        url: `${syncUrl}${path}?${query}&${signed}`,
        ...(back && { state }),
      },
    };
  },
});
