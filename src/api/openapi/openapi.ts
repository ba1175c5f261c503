import { openOperations, operations } from '../operations.ts';
import { publicRoutes } from '../public-routes.ts';
import type { ApiDocument, JsonSchema } from './api-document.ts';
import { errorExamples, sharedErrors } from './error-responses.ts';
import { HEADERS, PARAMETERS } from './header-fields.ts';
import { describeOpenOperation, describeOperation, describePublicRoute } from './path-items.ts';

/** Version of the HTTP API (spec: Versioning). Its major number is part of every path. */
export const API_VERSION = '2.0.0';

const TAGS: Record<string, string> = {
  domains: 'Custom domains and their verification.',
  projects: 'Projects hold apps.',
  apps: 'Apps hold environments.',
  environments: 'Environments hold domains. Their current deployment serves them.',
  deployments: 'Deployments say where the traffic of an environment goes.',
  webhooks: 'Webhooks send the events of the workspace to a URL of yours.',
  audit: 'The audit log has who changed what in the workspace, when and from where.',
  setup: 'The page that a set-up link shows to a customer: its sessions, and its brand.',
  liveness: 'Health checks. They need no key.',
};

/** The OpenAPI 3.1 document of the API, generated from the schemas of requests and responses and from the error table. */
export function openApiDocument(): ApiDocument {
  const components = new Map<string, JsonSchema>();
  const responses = sharedErrors(components);
  const paths: ApiDocument['paths'] = {};
  for (const operation of operations)
    paths[`/v2/${operation.name}`] = { post: describeOperation(operation, components) };
  for (const operation of openOperations)
    paths[`/v2/${operation.name}`] = { post: describeOpenOperation(operation, components) };
  for (const route of publicRoutes) paths[route.path] = { get: describePublicRoute(route, components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nameplate API',
      version: API_VERSION,
      description:
        'Custom domains for your platform. Operations are POST requests with JSON objects as bodies. Every response has an envelope: `{meta, data}`, `{meta, data, pagination}` for lists, or `{meta, error}`. Properties that have no value are absent, never null. A creation with an `Idempotency-Key` can be repeated without creating twice.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      examples: errorExamples(),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: {
        rootKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A root key: `Authorization: Bearer <ROOT_KEY>`. The dashboard sends a short-lived token (JWT) instead.',
        },
      },
    },
  };
}
