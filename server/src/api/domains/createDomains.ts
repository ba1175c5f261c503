import { setImmediate } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import { canonicalName, type NewName } from '../../domain/name.ts';
import { type Metadata, newOwnData } from '../../domain/own-data.ts';
import { dnsRecords } from '../../domain/records.ts';
import type { DomainTarget } from '../../domain/shared-target.ts';
import { windowEndsAt } from '../../domain/status.ts';
import { visible } from '../../domain/text.ts';
import type { BroughtCertificates, Creation, DomainStore, Replacing } from '../../store/store.ts';
import { Problem, presentError } from '../errors.ts';
import { type ApiSettings, defineOperation } from '../operation.ts';
import { type CountRequest, rateLimited } from '../request-hooks.ts';
import { closed, environmentPath, exampleEnvironmentPath, Id, ValidationError } from '../schemas.ts';
import { type BroughtFiles, broughtCertificate, certificateUse, readBrought } from './brought-certificate.ts';
import { creationProblem, domainIn, nameProblem, parseNewName } from './createDomain.ts';
import { excessProblem, ownDataOfNew } from './own-data-schema.ts';
import { dnsRecordsSchema, exampleDomain } from './present-domain.ts';
import { findReplaceable, replacement, replaceUnverified } from './replacement.ts';
import { findTargetOrProblem, sharedTarget, sharedTargetUse, targetProblem } from './target-option.ts';

/** Most names of one request. */
const MOST = 100;

export const OutcomeSchema = Type.Object(
  {
    domain: Type.String({
      description:
        'The canonical name. If the text is not a domain name: its first 253 characters, with invisible characters escaped.',
    }),
    domainId: Type.Optional(
      Id('dom', 'The new domain. After a conflict: the domain that the environment already has under this name.'),
    ),
    dnsRecords: Type.Optional(dnsRecordsSchema),
    error: Type.Optional(
      Type.Object(
        {
          title: Type.String({ description: 'Title of the status.' }),
          detail: Type.String({ description: 'Why this name was not attached.' }),
          status: Type.Integer({ description: 'HTTP status with which domains.createDomain would have responded.' }),
          type: Type.String({ description: 'Type of the error, as in other error responses.' }),
          errors: Type.Optional(
            Type.Array(ValidationError, {
              minItems: 1,
              maxItems: 100,
              description: 'The violations, with status 400.',
            }),
          ),
        },
        { title: 'OutcomeError', description: 'Why the name was refused; absent if it was not.' },
      ),
    ),
  },
  { title: 'DomainOutcome' },
);

/** Characters of a refused name in its outcome, which an Idempotency-Key keeps for a day. */
const LONGEST_ECHO = 253;

type Outcome = Static<typeof OutcomeSchema>;

/** The outcomes if every accepted name can be stored. */
interface Plan {
  environmentId: string;
  outcomes: Outcome[];
  /** Places of the accepted names in the request. */
  accepted: number[];
}

/** A name, or an object that has one: in JSON Schema both are one schema of two types. */
const ItemSchema = Type.Unsafe<string | Item>({
  ...Type.Object(
    {
      domain: Type.String({ description: 'The name, as above.' }),
      target: sharedTarget,
      certificate: broughtCertificate,
      ...ownDataOfNew,
    },
    closed,
  ),
  type: ['string', 'object'],
});

interface Item {
  domain: string;
  target?: string;
  certificate?: BroughtFiles;
  externalId?: string;
  metadata?: Metadata;
}

const newDomain = { ...exampleDomain, ownershipVerifiedAt: null };
const conflict = new Problem('data/domain_already_exists', {
  detail: 'The workspace already has the domain www.example.com.',
});

export const createDomains = defineOperation({
  name: 'domains.createDomains',
  summary: 'Attach up to 100 domains to an environment',
  description:
    'Returns one outcome for each name, in the order of the request: the new domain, as domains.createDomain returns it, or the `error` of that operation. The names without an `error` are stored in one transaction: all of them or none. You can repeat the request. A name that the environment already has is a conflict (409) with the `domainId` of its domain. A name in another environment of the workspace is a conflict without a `domainId`. If a name occurs twice in the request, the second is a conflict, too. Each name counts against the rate limit of domains.createDomain, and each `certificate` against that of domains.uploadCertificate. Names beyond a limit are refused with 429. If the limit allows none of them, the whole request is refused.',
  permission: { resource: 'environment', action: 'create_domain' },
  needs: [replacement, sharedTargetUse, certificateUse],
  creates: true,
  request: Type.Object(
    {
      ...environmentPath,
      domains: Type.Array(ItemSchema, {
        minItems: 1,
        maxItems: MOST,
        description:
          'Fully qualified names, in Unicode or Punycode, without scheme, port, path or final dot. Or objects with such a name and the properties below.',
      }),
      replaceUnverified,
      dryRun: Type.Optional(
        Type.Boolean({
          description:
            "If true, nothing is stored. The outcome of a name that can be attached has neither `domainId` nor `error`. The workspace's limit of domains is not checked.",
        }),
      ),
    },
    closed,
  ),
  response: Type.Array(OutcomeSchema),
  problems: ['data/environment_not_found', 'application/sealing_unavailable'],
  example: {
    request: {
      ...exampleEnvironmentPath,
      domains: [{ domain: exampleDomain.name, externalId: 'customer_42' }, 'www.example.com'],
    },
    response: [
      { domain: newDomain.name, domainId: newDomain.id, dnsRecords: dnsRecords(newDomain) },
      {
        domain: 'www.example.com',
        domainId: 'dom_01kaghk7d8e9f0g1h2j3k4m5n6',
        error: presentError(conflict, { service: 'service' }),
      },
    ],
  },
  async handle({ principal, input, find, create }, context) {
    const { store, settings, apexNote } = context;
    const environment = await find.environment(input);
    const items = input.domains.map((item): Item => (typeof item === 'string' ? { domain: item } : item));
    if (items.some(({ certificate }) => certificate)) await find.environment(input, certificateUse);
    const limits = countNames(items, (operation) => context.countRequest(principal, operation));
    const domains: Domain[] = [];
    const plan: Plan = { environmentId: environment.id, outcomes: [], accepted: [] };
    const seen = new Set<string>();
    const found = new Map<string | undefined, DomainTarget | Problem | undefined>();
    const brought: BroughtCertificates = {};
    for (const [at, { domain: sent, target, certificate, ...given }] of items.entries()) {
      const own = newOwnData(given);
      const location = `body.domains.${at}`;
      const place = typeof input.domains[at] === 'string' ? location : `${location}.domain`;
      if (!found.has(target)) found.set(target, await findTargetOrProblem(target, input, environment, find, store));
      const shared = found.get(target);
      const named = limits[at] ?? excessProblem(own, location) ?? examineName(sent, place, shared, seen, settings);
      const read = named instanceof Problem ? null : await readBrought(certificate, named.name, location, context);
      const examined = read instanceof Problem ? read : named;
      if (examined instanceof Problem) {
        plan.outcomes.push({
          domain: canonicalName(sent) ?? visible(sent.slice(0, LONGEST_ECHO)),
          error: presentError(examined, settings),
        });
        // To explain what is wrong with a name can take a millisecond.
        await setImmediate();
      } else {
        const domain = domainIn(environment, examined, context, own, shared instanceof Problem ? undefined : shared);
        const attached = { domainId: domain.id, dnsRecords: dnsRecords(domain, apexNote) };
        plan.outcomes.push({ domain: domain.name, ...(!input.dryRun && attached) });
        plan.accepted.push(at);
        domains.push(domain);
        if (read && !(read instanceof Problem)) brought[domain.id] = read;
      }
    }
    const [first] = domains;
    if (first === undefined) return plan.outcomes;
    const replacing = await findReplaceable(input, domains, find, context);
    if (input.dryRun) return outcomesOf(plan, await findHeld(store, domains, replacing), settings);
    const windowEnd = windowEndsAt(first, settings.windowMs);
    const { made, outcome } = await create(plan, (changes) =>
      changes.createDomains(domains, windowEnd, replacing, brought),
    );
    return outcomesOf(made, outcome, settings);
  },
});

/** Counts each name and certificate. Returns the problem of the names beyond a limit; throws it if that is the first name. */
function countNames(
  items: readonly Item[],
  count: (operation: string) => ReturnType<CountRequest>,
): (Problem | null)[] {
  const excess = (operation: string) => {
    const decision = count(operation);
    return decision === undefined || decision.allowed ? null : rateLimited(decision);
  };
  return items.map(({ certificate }, at) => {
    const problem = (certificate && excess('domains.uploadCertificate')) || excess('domains.createDomain');
    if (problem !== null && at === 0) throw problem;
    return problem;
  });
}

/** A name that can be attached, unless it is held; otherwise why not. */
function examineName(
  sent: string,
  location: string,
  shared: DomainTarget | Problem | undefined,
  seen: Set<string>,
  settings: ApiSettings,
): NewName | Problem {
  const parsed = parseNewName(sent, settings);
  if (!parsed.ok) return nameProblem(parsed, location);
  const refusal = shared instanceof Problem ? shared : targetProblem([parsed], shared, location, settings);
  if (refusal !== null) return refusal;
  if (seen.has(parsed.name)) {
    return new Problem('data/domain_already_exists', { detail: `The request has the domain ${parsed.name} twice.` });
  }
  seen.add(parsed.name);
  return parsed;
}

/** Predicts the store's outcome, for a dry run. */
function findHeld(
  store: Pick<DomainStore, 'findDomainByName'>,
  domains: readonly Domain[],
  replacing: Replacing | undefined,
): Promise<Creation[]> {
  const isReplaced = (id: string) => replacing?.holders.some((holder) => holder.id === id);
  return Promise.all(
    domains.map(async ({ workspaceId, name }): Promise<Creation> => {
      const held = await store.findDomainByName(workspaceId, name);
      if (held === null || isReplaced(held.id)) return { kind: 'created' };
      return { kind: 'held', domainId: held.id, environmentId: held.environmentId };
    }),
  );
}

function outcomesOf(
  { environmentId, outcomes, accepted }: Plan,
  creations: Creation[],
  settings: ApiSettings,
): Outcome[] {
  const creationAt = new Map(accepted.map((at, i) => [at, creations[i]]));
  return outcomes.map((planned, at) => {
    const creation = creationAt.get(at);
    const problem = creation && creationProblem(creation, planned.domain);
    if (creation === undefined || !problem) return planned;
    // The domain was deleted meanwhile.
    if (problem.code === 'data/environment_not_found') throw problem;
    const isHere = creation.kind === 'held' && creation.environmentId === environmentId;
    return {
      domain: planned.domain,
      ...(isHere && { domainId: creation.domainId }),
      error: presentError(problem, settings),
    };
  });
}
