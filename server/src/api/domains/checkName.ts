import Type from 'typebox';
import { unattachedDomain } from '../../domain/domain.ts';
import { findingsOf } from '../../domain/findings/findings.ts';
import { NO_MEMORY } from '../../domain/status.ts';
import { visible } from '../../domain/text.ts';
import { defineOperation } from '../operation.ts';
import { closed, environmentPath, exampleEnvironmentPath } from '../schemas.ts';
import { parseNewName } from './createDomain.ts';
import { findingContext, lookedAt } from './dns-look.ts';
import { NameSchema, presentName } from './present-name.ts';

export const checkName = defineOperation({
  name: 'domains.checkName',
  summary: 'Check a name before you attach it',
  description:
    'Returns whether a name can be attached to the environment, where its DNS is edited, and which records are in the way. It changes nothing. It queries DNS as domains.diagnoseDomain does, with the same limits.',
  // The permission of createDomain, before which it is called.
  permission: { resource: 'environment', action: 'create_domain' },
  request: Type.Object(
    {
      ...environmentPath,
      domain: Type.String({ maxLength: 253, description: 'The name, in Unicode or Punycode.' }),
    },
    closed,
  ),
  response: NameSchema,
  problems: ['data/environment_not_found'],
  example: {
    request: { ...exampleEnvironmentPath, domain: 'shop.example.com' },
    response: {
      domain: 'shop.example.com',
      valid: true,
      kind: 'subdomain',
      held: false,
      zone: {
        name: 'example.com',
        registered: true,
        nameservers: [
          { name: 'ns1.example.com', addresses: ['192.0.2.53'], outcome: 'answered' },
          { name: 'ns2.example.com', addresses: ['198.51.100.53'], outcome: 'answered' },
        ],
        dnssec: 'unsigned',
      },
      conflicts: [
        {
          record: 'routing',
          type: 'A',
          name: 'shop.example.com',
          nameInZone: 'shop',
          values: ['203.0.113.10'],
        },
      ],
      caa: [],
      findings: [],
    },
  },
  async handle({ principal, input, find }, { store, diagnoser, settings }) {
    const { workspaceId } = principal;
    await find.environment(input);
    const { service } = settings;
    const parsed = parseNewName(input.domain, settings);
    const nothing = { conflicts: [], findings: [] };
    if (!parsed.ok) {
      const { message, fix } = parsed;
      const problem = { message, ...(fix !== undefined && { fix }) };
      return { domain: visible(input.domain), valid: false, problem, held: false, ...nothing };
    }
    const { name, kind } = parsed;
    const held = (await store.findDomainByName(workspaceId, name)) !== null;
    const known = { domain: name, valid: true, kind, held };
    if (held) return { ...known, ...nothing };
    const { observation, at } = lookedAt(await diagnoser.diagnoseName({ workspaceId, name, kind, service }));
    const domain = unattachedDomain({ workspaceId, name, kind, service });
    const observed = { domain, incumbent: null, memory: NO_MEMORY };
    const findings = findingsOf(observed, observation, findingContext(settings, at));
    return { ...known, ...presentName(domain, observation, findings) };
  },
});
