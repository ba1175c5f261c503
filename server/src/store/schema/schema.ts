import type { Generated } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
import type { LiveState } from '../../domain/live.ts';
import type { MonitorMemory } from '../../domain/monitoring.ts';
import type { CheckMemory } from '../../domain/status.ts';
import type { SuspensionStatus } from '../../domain/suspension.ts';
import type { WebhookEventType } from '../../domain/webhook-message.ts';
import type {
  App,
  AuditEntry,
  CaAccount,
  Certificate,
  CertificateOrder,
  Challenge,
  Change,
  ConnectKey,
  DashboardSession,
  Deployment,
  DnsChallenge,
  DomainEvent,
  EdgeAddress,
  Environment,
  IssuedCertificate,
  ListedRootKey,
  Project,
  Redirect,
  RequestCount,
  SetupLink,
  SetupPage,
  SharedTarget,
  SigningKey,
  Webhook,
  WebhookSecret,
  Workspace,
  WorkspaceSuspension,
} from '../store.ts';

/**
 * The tables of both engines, as `0001-schema.ts` creates them. Times are Unix milliseconds, JSON is text. A table has the type of the
 * contract that its rows are read as; what only the store knows stands here.
 */
export interface Schema {
  workspaces: WorkspacesTable;
  rootKeys: RootKeysTable;
  dashboardSessions: DashboardSessionsTable;
  /** At most one row has no `retiredAt`. */
  signingKeys: SigningKey;
  /** At most three rows. */
  connectKeys: ConnectKey;
  projects: Project;
  apps: App;
  environments: Environment;
  deployments: Deployment;
  /** One row for each environment that has set any of it. Deleted with the environment. */
  originSettings: OriginSettingsTable;
  /** `name` is unique in the workspace; unique everywhere among the verified ones. */
  domains: Domain;
  /** `addresses`: JSON of a list. */
  sharedTargets: Omit<SharedTarget, 'addresses'> & { addresses: string };
  domainPairs: DomainPairsTable;
  checks: ChecksTable;
  checkResults: CheckResultsTable;
  routes: RoutesTable;
  /** Deleted with either domain. */
  redirects: Omit<Redirect, 'to'>;
  /** JSON of `SiteSettings`. Deleted with the domain. */
  siteSettings: { domainId: string; settings: string };
  /** Domains that their workspace has suspended. Deleted with the domain. */
  suspensions: WorkspaceSuspension & { domainId: string };
  /** Names that the operator has suspended in a workspace, whichever domain has them. */
  suspendedNames: WorkspaceSuspension & { workspaceId: string; name: string };
  monitors: MonitorsTable;
  liveChecks: LiveChecksTable;
  deletedDomains: DeletedDomainsTable;
  /** The certificates that deleted domains had in use. Deleted with them, and as soon as another workspace is verified for the name. */
  deletedCertificates: Omit<ServedCertificatesTable, 'expiringAt'> & { domainId: string };
  certificates: CertificatesTable;
  servedCertificates: ServedCertificatesTable;
  /** The former certificate of a name that was taken over, served until the new domain has its own. */
  inheritedCertificates: Pick<ServedCertificatesTable, 'hostname' | 'chain' | 'privateKey' | 'notAfter'>;
  /** The managed certificate that an imported one has replaced: used again when that is removed, or about to expire. */
  fallbackCertificates: Omit<ServedCertificatesTable, 'expiringAt'>;
  /** Certificates that are put in use with the route of their domain. `issuedAt`: when it was given. Deleted with the domain. */
  stagedCertificates: Omit<ServedCertificatesTable, 'expiringAt'> & { domainId: string };
  /** Orders in flight, each with its entry in the ledger. */
  certificateOrders: CertificateOrder & { spendingSeq: number };
  heartbeats: HeartbeatsTable;
  spending: SpendingTable;
  challenges: Challenge;
  dnsChallenges: DnsChallenge;
  edgeAddresses: EdgeAddress;
  caAccounts: InJson<CaAccount, 'problem'>;
  /** No foreign key: the timeline outlives the domain. */
  events: InOrder<InJson<DomainEvent, 'data'>>;
  setupLinks: SetupLinksTable;
  /** The origins are in `setupOrigins` too. */
  setupPages: InJson<SetupPage, 'brand' | 'origins'> & { workspaceId: string };
  setupOrigins: SetupOriginsTable;
  webhooks: WebhooksTable;
  webhookSecrets: WebhookSecretsTable;
  webhookDeliveries: WebhookDeliveriesTable;
  webhookQueues: WebhookQueuesTable;
  changes: InOrder<Omit<Change, 'seq'> & { createdAt: number }>;
  /** No foreign key: a subject may be anything. */
  requestCounts: RequestCount;
  idempotencyKeys: IdempotencyKeysTable;
  usageDomains: UsageDomainsTable;
  usageCounts: UsageCountsTable;
  usageWriters: UsageWritersTable;
  /** No foreign keys: entries outlive what they are about. `source` is `from`, a word of SQL. */
  auditEntries: InOrder<InJson<Omit<AuditEntry, 'from' | 'at'>, 'detail'> & { source: string; createdAt: number }>;
}

/** `Row` with some of its properties as JSON. */
type InJson<Row, Keys extends keyof Row> = {
  [Key in keyof Row]: Key extends Keys ? (null extends Row[Key] ? string | null : string) : Row[Key];
};

/** `seq`: in order of writing, which ids of several processes are not. */
type InOrder<Row> = Row & { seq: Generated<number> };

type WorkspacesTable = InJson<Workspace, 'limits'> & {
  /** Status of the page in place of its sites; null, as `suspendedAt`: the operator has not suspended it. */
  suspendedStatus: SuspensionStatus | null;
  suspendedAt: number | null;
  /** The workspace whose key made it, also if that is gone; null: the operator made it. */
  parentId: string | null;
};

type RootKeysTable = InJson<ListedRootKey, 'permissions'> & {
  /** SHA-256 of the key: 32 bytes, unique. */
  hash: Uint8Array;
};

type DashboardSessionsTable = InJson<DashboardSession, 'permissions'> & {
  /** SHA-256 of the secret, or of the link until it is opened: 32 bytes, unique. */
  hash: Uint8Array;
};

/** Deleted with the domain. */
type SetupLinksTable = SetupLink & {
  /** SHA-256 of the token: 32 bytes, unique. */
  hash: Uint8Array;
};

/** The schedule: one narrow row for each domain inside its window. */
interface ChecksTable extends CheckMemory {
  domainId: string;
  nextCheckAt: number;
  windowEndsAt: number;
  attempts: number;
  lastCheckAt: number | null;
}

/** The schedule of re-checks: one narrow row for each route, and so for each verified domain; deleted with it. */
interface MonitorsTable extends Omit<MonitorMemory, 'suspected'> {
  domainId: string;
  nextCheckAt: number;
  lastCheckAt: number | null;
  attempts: number;
  /** JSON; null: nothing. */
  suspected: string | null;
}

/** The last look from outside at a name: one row for each route, deleted with it. */
interface LiveChecksTable {
  domainId: string;
  hostname: string;
  /** Also the fencing token of the look that is in flight. */
  nextCheckAt: number;
  /** As in `seen`, for lists. */
  state: LiveState | null;
  /** JSON of `Live`; null: no look has counted yet. */
  seen: string | null;
  /** 1: the last look saw a worse state. */
  doubted: number;
}

type CertificateColumns = Omit<Certificate, 'domainId' | 'issued'>;

/**
 * One for each route. Each transaction that changes anything of a certificate updates this row first, which serialises them. `workspaceId`: of the
 * domain, for fair scheduling.
 */
interface CertificatesTable extends InJson<CertificateColumns, 'problem' | 'selfCheck'> {
  /** 1: a certificate is in use, or an order in flight; 0: neither. */
  begun: number;
  /** Fencing token of the last lease. */
  lease: number;
}

/** Certificates in use. */
interface ServedCertificatesTable extends InJson<IssuedCertificate, 'renewal'> {
  hostname: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  /** When `certificate.expiring` is due; null: it was recorded. */
  expiringAt: number | null;
}

type WebhooksTable = InJson<Webhook, 'types'> & {
  /** Last failed attempt to deliver an event. */
  lastFailedAt: number | null;
};

/** One for each webhook, and its predecessor for a while after a rotation. Deleted with the webhook. */
type WebhookSecretsTable = WebhookSecret & {
  webhookId: string;
  /** Null: until it is rotated. */
  expiresAt: number | null;
};

interface SetupOriginsTable {
  origin: string;
  workspaceId: string;
}

/** The last check of each domain that found anything new. Deleted with the domain. */
interface CheckResultsTable {
  domainId: string;
  digest: string;
  checkedAt: number;
  /** JSON, at most 8 KiB. */
  findings: string;
  /** JSON, at most 8 KiB. */
  observation: string;
  /** Digest of the mistakes that an event told last, and when; null: none has told any. */
  told: string | null;
  toldAt: number | null;
}

/** A pair of a domain's metadata, or its external id. Deleted with the domain. */
interface DomainPairsTable {
  workspaceId: string;
  /** Empty: the value is the external id. */
  key: string;
  value: string;
  /** `<environment id>.<domain id>`: so a list of some environments reads no pair of another. */
  place: string;
  domainId: string;
}

interface RoutesTable {
  hostname: string;
  domainId: string;
  environmentId: string;
  /** The wildcard domain that would serve the name otherwise, whether there is one or not. Null for a wildcard. */
  wildcard: string | null;
}

interface OriginSettingsTable {
  environmentId: string;
  /** Null: the visitor's. */
  hostHeader: string | null;
  /** PEM. */
  caCertificate: string | null;
  clientCertificate: string | null;
  /** PKCS #8, sealed. Null without a certificate, and when it was forgotten. */
  clientKey: Uint8Array | null;
  /** Sealed. */
  secret: Uint8Array | null;
  secretCreatedAt: number | null;
  /** Sealed. Sent until `previousExpiresAt`. */
  previousSecret: Uint8Array | null;
  previousExpiresAt: number | null;
  /** 1: origins get the external ids of domains. */
  sendsExternalId: number | null;
}

/** Domains that can still be restored. No foreign key: it holds nothing that is there. */
interface DeletedDomainsTable {
  id: string;
  workspaceId: string;
  name: string;
  /** JSON of `Domain`, as it was deleted. */
  domain: string;
  /** JSON of a `Redirect`; null: it did not redirect. */
  redirect: string | null;
  /** JSON of `Suspension`; null: it was not suspended. */
  suspension: string | null;
  /** JSON of `SiteSettings`; null: it had none. */
  settings: string | null;
  deletedAt: number;
  keptUntil: number;
  /** When another workspace was verified for the name: it cannot be restored any more. */
  supersededAt: number | null;
}

/** When a process with the role was last there; of `backup`: of when the last backup is. */
interface HeartbeatsTable {
  role: 'certificates' | 'backup';
  seenAt: number;
}

/** The ledger of orders. */
interface SpendingTable {
  seq: Generated<number>;
  issuer: string;
  hostname: string;
  registeredDomain: string;
  /** 1: exempt. */
  exempt: number;
  /** Null: in flight, or unknown. */
  outcome: 'issued' | 'failed' | null;
  orderedAt: number;
  /** When the CA counted its outcome: when the order ended; until then when it began. */
  countedAt: number;
}

/** The outbox, and the log of deliveries. No foreign key: a change of a domain must not wait for, or fail with, that of a webhook. */
interface WebhookDeliveriesTable {
  /** In a queue, the order of commits: it is drawn while the queue's row is locked. */
  seq: Generated<number>;
  id: string;
  webhookId: string;
  queue: string;
  eventId: string;
  type: WebhookEventType;
  /** JSON of `WebhookMessage`; null in a test. */
  message: string | null;
  happenedAt: number;
  createdAt: number;
  attempts: number;
  lastAttemptAt: number | null;
  lastDurationMs: number | null;
  /** HTTP status of the last response. */
  lastStatus: number | null;
  lastError: string | null;
  /** Body of the last response, at most 64 KiB; of the newest ones of a webhook (`webhook/delivery-results.ts`). */
  lastResponse: string | null;
  outcome: 'delivered' | 'failed' | null;
  /** Null while it waits. */
  finishedAt: number | null;
}

/** The schedule of deliveries: one narrow row for each webhook and domain with deliveries that wait. No foreign key, as above. */
interface WebhookQueuesTable {
  webhookId: string;
  /** Id of a domain; of a test or a repeated delivery, which wait for nothing, its own id. */
  queue: string;
  /** The time of its first delivery; `AHEAD` (`webhook/queue.ts`): before all others; while leased: the end of the lease. */
  nextAttemptAt: number;
  /** Fencing token; null: not leased. */
  lease: string | null;
}

/** Domains that were verified once. No foreign key: a deleted one keeps its row for as long as its usage is kept. */
interface UsageDomainsTable {
  /** `Site.usageNumber`. */
  seq: Generated<number>;
  domainId: string;
  workspaceId: string;
  environmentId: string;
  /** Null: it is there, or was restored. */
  deletedAt: number | null;
}

/** Counts of the hours of one chunk of domains (`usage/usage-chunks.ts`). */
interface UsageCountsTable {
  /** The start of the hour. */
  startsAt: number;
  chunk: number;
  counts: Uint8Array;
}

/** The last write of each process. */
interface UsageWritersTable {
  id: string;
  lastWrite: number;
  writtenAt: number;
}

/** The results of creations, for repeats. Either `made` or `secret` is there. */
interface IdempotencyKeysTable {
  id: string;
  fingerprint: string;
  /** JSON. */
  outcome: string;
  made: Uint8Array | null;
  /** A secret. */
  secret: Uint8Array | null;
  createdAt: number;
}
