import { count, lengthOfTime, listOf, network, oneOf } from './parse-values.ts';
import type { Variable } from './variable.ts';

/** Variables of webhooks: of the roles `api` and `verifier`. */
export const webhookVariables = {
  webhooksPerWorkspace: {
    name: 'NAMEPLATE_WEBHOOKS_PER_WORKSPACE',
    about:
      'Maximum number of webhooks of a workspace. With `0`, none can be created, but existing webhooks still receive events. Set it on every node with the role `api`.',
    default: '10',
    example: '3',
    parse: count(0, 1000),
  },
  webhookSchemes: {
    name: 'NAMEPLATE_WEBHOOK_SCHEMES',
    about:
      'Schemes that the URL of a webhook may have: `https`, `http` or both, separated by commas. Over `http`, anyone on the way can read the events, and nothing proves who receives them: allow it only for receivers in your own network. Webhooks with another scheme receive nothing, even if they were created while it was allowed. Set it on every node with the role `api` or `verifier`.',
    default: 'https',
    example: 'https,http',
    parse: listOf(oneOf('https', 'http')),
  },
  webhookAllowedNetworks: {
    name: 'NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS',
    about:
      'Networks of private, loopback or other special addresses in which receivers of webhooks may be, separated by commas. By default, events are sent only to public addresses, because anyone who can create a webhook chooses its URL. Leave out networks with services that accept requests from anyone. Set it on every node with the role `api` or `verifier`.',
    example: '10.20.0.0/16,fd00:20::/32',
    parse: listOf(network),
  },
  webhookDeliveriesKeepMs: {
    name: 'NAMEPLATE_WEBHOOK_DELIVERIES_KEEP',
    about:
      'How long deliveries and their events are kept (`webhooks.listDeliveries`, `webhooks.redeliver`), between `4d` and `365d`. Deliveries that still wait for a disabled webhook are deleted too. For each webhook, the bodies of the last 100 failed responses are kept as well, at most 64 KiB each. Use the same value on every node.',
    default: '14d',
    example: '30d',
    parse: lengthOfTime('4d', '365d'),
  },
} as const satisfies Record<string, Variable<unknown>>;
