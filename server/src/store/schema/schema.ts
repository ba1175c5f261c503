import type { Generated } from 'kysely';
import type { CertificateState } from '../../domain/certificate-state.ts';
import type { DomainKind, DomainStatus } from '../../domain/domain.ts';
import type { DomainEventType } from '../../domain/domain-event.ts';
import type { RedirectStatus } from '../../domain/redirect.ts';
import type { RecordDoubt } from '../../domain/status.ts';
import type { SuspensionStatus } from '../../domain/suspension.ts';
import type { WebhookEventType } from '../../domain/webhook-message.ts';
import type { AuthorKind, ChangeKind, WebhookDisabledReason } from '../store.ts';

/** The tables of both engines, as `0001-schema.ts` creates them. Times are Unix milliseconds, JSON is text. */
export interface Schema {
  workspaces: WorkspacesTable;
  rootKeys: RootKeysTable;
  signingKeys: SigningKeysTable;
  projects: ProjectsTable;
  apps: AppsTable;
  environments: EnvironmentsTable;
  deployments: DeploymentsTable;
  domains: DomainsTable;
  checks: ChecksTable;
  checkResults: CheckResultsTable;
  routes: RoutesTable;
  redirects: RedirectsTable;
  suspensions: SuspensionsTable;
  suspendedNames: SuspendedNamesTable;
  monitors: MonitorsTable;
  deletedDomains: DeletedDomainsTable;
  deletedCertificates: DeletedCertificatesTable;
  certificates: CertificatesTable;
  servedCertificates: ServedCertificatesTable;
  inheritedCertificates: InheritedCertificatesTable;
  certificateOrders: CertificateOrdersTable;
  heartbeats: HeartbeatsTable;
  spending: SpendingTable;
  challenges: ChallengesTable;
  caAccounts: CaAccountsTable;
  events: EventsTable;
  setupLinks: SetupLinksTable;
  setupPages: SetupPagesTable;
  setupOrigins: SetupOriginsTable;
  webhooks: WebhooksTable;
  webhookSecrets: WebhookSecretsTable;
  webhookDeliveries: WebhookDeliveriesTable;
  webhookQueues: WebhookQueuesTable;
  changes: ChangesTable;
  requestCounts: RequestCountsTable;
  idempotencyKeys: IdempotencyKeysTable;
  auditEntries: AuditEntriesTable;
}

interface WorkspacesTable {
  id: string;
  name: string;
  disabledAt: number | null;
  /** JSON of `WorkspaceLimits`. */
  limits: string;
  createdAt: number;
  /** Status of the page in place of its sites; null, as `suspended_at`: the operator has not suspended it. */
  suspendedStatus: SuspensionStatus | null;
  suspendedAt: number | null;
}

interface RootKeysTable {
  id: string;
  workspaceId: string;
  /** SHA-256 of the key: 32 bytes, unique. */
  hash: Uint8Array;
  name: string;
  start: string;
  /** JSON: the grants as given. */
  permissions: string;
  expiresAt: number | null;
  disabledAt: number | null;
  createdAt: number;
  lastUsedAt: number | null;
}

/** At most one row has no `retired_at`. */
interface SigningKeysTable {
  id: string;
  /** SPKI, DER. */
  publicKey: Uint8Array;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  createdAt: number;
  retiredAt: number | null;
}

interface SetupLinksTable {
  id: string;
  workspaceId: string;
  /** The link is deleted with the domain. */
  domainId: string;
  /** SHA-256 of the token: 32 bytes, unique. */
  hash: Uint8Array;
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
  createdBy: string | null;
  revokedBy: string | null;
}

interface SetupPagesTable {
  workspaceId: string;
  /** JSON of `Brand`. */
  brand: string;
  /** JSON: the origins, which are in `setup_origins` too. */
  origins: string;
}

interface SetupOriginsTable {
  origin: string;
  workspaceId: string;
}

interface ProjectsTable {
  id: string;
  workspaceId: string;
  slug: string;
  name: string | null;
  createdAt: number;
}

interface AppsTable extends ProjectsTable {
  projectId: string;
}

interface EnvironmentsTable extends AppsTable {
  appId: string;
  currentDeploymentId: string | null;
}

interface DeploymentsTable {
  id: string;
  workspaceId: string;
  environmentId: string;
  origin: string;
  createdAt: number;
}

interface DomainsTable {
  id: string;
  workspaceId: string;
  projectId: string;
  appId: string;
  environmentId: string;
  /** Unique in the workspace; unique everywhere among the verified ones. */
  name: string;
  kind: DomainKind;
  service: string;
  target: string;
  token: string;
  status: DomainStatus;
  routingVerifiedAt: number | null;
  ownershipVerifiedAt: number | null;
  verificationError: string | null;
  createdAt: number;
  updatedAt: number | null;
  verifiedAt: number | null;
  windowStartedAt: number;
  revision: number;
}

/** The schedule: one narrow row for each domain inside its window. */
interface ChecksTable {
  domainId: string;
  nextCheckAt: number;
  windowEndsAt: number;
  attempts: number;
  unreadableInARow: number;
  provenSince: number | null;
  ownershipDoubt: RecordDoubt;
  routingDoubt: RecordDoubt;
  fingerprint: string | null;
  lastCheckAt: number | null;
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
}

interface RoutesTable {
  hostname: string;
  domainId: string;
  environmentId: string;
}

/** Deleted with the domain, and with the route of its destination. */
interface RedirectsTable {
  domainId: string;
  /** `routes.domain_id`: the destination is verified. */
  destinationId: string;
  status: RedirectStatus;
  setAt: number;
}

/** Domains that their workspace has suspended. Deleted with the domain. */
interface SuspensionsTable {
  domainId: string;
  status: SuspensionStatus;
  suspendedAt: number;
}

/** Names that the operator has suspended in a workspace, whichever domain has them. */
interface SuspendedNamesTable {
  workspaceId: string;
  name: string;
  status: SuspensionStatus;
  suspendedAt: number;
}

/** The schedule of re-checks: one narrow row for each route, and so for each verified domain; deleted with it. */
interface MonitorsTable {
  domainId: string;
  nextCheckAt: number;
  lastCheckAt: number | null;
  attempts: number;
  /** JSON; null: nothing. */
  suspected: string | null;
  driftedSince: number | null;
  goneSince: number | null;
  goneUntil: number | null;
}

/** One for each route. Each transaction that changes anything of a certificate updates this row first, which serialises them. */
interface CertificatesTable {
  hostname: string;
  state: CertificateState;
  createdAt: number;
  /** The workspace of the domain, for fair scheduling. */
  workspaceId: string;
  nextTryAt: number;
  leasedUntil: number | null;
  /** 1: a certificate is in use, or an order in flight; 0: neither. */
  begun: number;
  /** Fencing token of the last lease. */
  lease: number;
  failures: number;
  /** JSON of `CertificateProblem`. */
  problem: string | null;
  /** JSON of `SelfCheck`. */
  selfCheck: string | null;
  /** When a CA last failed to validate the name. */
  authorizationFailedAt: number | null;
}

/** Certificates in use. */
interface ServedCertificatesTable {
  hostname: string;
  issuer: string;
  /** PEM. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  notBefore: number;
  notAfter: number;
  issuedAt: number;
  /** JSON of `RenewalWindow`. */
  renewal: string;
  /** When `certificate.expiring` is due; null: it was recorded. */
  expiringAt: number | null;
}

/** The former certificate of a name that was taken over, served until the new domain has its own. */
interface InheritedCertificatesTable {
  hostname: string;
  /** PEM. */
  chain: string;
  /** PKCS #8, DER. A secret, sealed as it was in `served_certificates`. */
  privateKey: Uint8Array;
  notAfter: number;
}

/** Domains that can still be restored. No foreign key: it holds nothing that is there. */
interface DeletedDomainsTable {
  id: string;
  workspaceId: string;
  name: string;
  /** JSON of `Domain`, as it was deleted. */
  domain: string;
  /** JSON of `HeldRedirect`; null: it did not redirect. */
  redirect: string | null;
  /** JSON of `Suspension`; null: it was not suspended. */
  suspension: string | null;
  deletedAt: number;
  keptUntil: number;
  /** When another workspace was verified for the name: it cannot be restored any more. */
  supersededAt: number | null;
}

/** The certificates that deleted domains had in use. Deleted with them, and as soon as another workspace is verified for the name. */
interface DeletedCertificatesTable {
  domainId: string;
  hostname: string;
  issuer: string;
  /** PEM. */
  chain: string;
  /** PKCS #8, DER. A secret, sealed as it was in `served_certificates`. */
  privateKey: Uint8Array;
  notBefore: number;
  notAfter: number;
  issuedAt: number;
  /** JSON of `RenewalWindow`. */
  renewal: string;
}

/** When a process with the role was last there; of `backup`: of when the last backup is. */
interface HeartbeatsTable {
  role: 'certificates' | 'backup';
  seenAt: number;
}

/** Orders in flight. */
interface CertificateOrdersTable {
  hostname: string;
  issuer: string;
  url: string | null;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  replaces: string | null;
  startedAt: number;
  /** Its entry in the ledger. */
  spendingSeq: number;
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

interface ChallengesTable {
  hostname: string;
  token: string;
  keyAuthorization: string;
  expiresAt: number;
}

interface CaAccountsTable {
  issuer: string;
  url: string | null;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  /** PEM. */
  certificate: string | null;
  pausedUntil: number | null;
  problem: string | null;
  createdAt: number;
}

/** No foreign keys: entries outlive what they are about. */
interface AuditEntriesTable {
  /** In order of writing, which ids of several processes are not. */
  seq: Generated<number>;
  id: string;
  /** Null: what was changed belongs to no workspace. */
  workspaceId: string | null;
  kind: AuthorKind;
  actor: string;
  action: string;
  /** Address of the client, or name of the host. */
  source: string;
  requestId: string | null;
  target: string;
  targetName: string | null;
  /** JSON. */
  detail: string;
  createdAt: number;
}

/** No foreign key: the timeline outlives the domain. */
interface EventsTable {
  /** In order of writing, which ids of several processes are not. */
  seq: Generated<number>;
  id: string;
  domainId: string;
  workspaceId: string;
  type: DomainEventType;
  /** JSON. */
  data: string;
  createdAt: number;
  actor: string | null;
}

interface WebhooksTable {
  id: string;
  workspaceId: string;
  url: string;
  /** JSON: event types; null: all. */
  types: string | null;
  createdAt: number;
  updatedAt: number | null;
  disabledAt: number | null;
  /** Null while it is enabled. */
  disabledReason: WebhookDisabledReason | null;
  /** First failed attempt to deliver an event since the last delivery, or since a long time without attempts; null: there was none. */
  failingSince: number | null;
  /** Last failed attempt to deliver an event. */
  lastFailedAt: number | null;
}

/** One for each webhook, and its predecessor for a while after a rotation. Deleted with the webhook. */
interface WebhookSecretsTable {
  id: string;
  webhookId: string;
  /** `whsec_…`, UTF-8. A secret. */
  secret: Uint8Array;
  createdAt: number;
  /** Null: until it is rotated. */
  expiresAt: number | null;
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
  /** Body of the last response, at most 64 KiB; of the newest ones of a webhook (`webhooks/delivery-results.ts`). */
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
  /** Of its first delivery; `AHEAD` (`webhooks/queue.ts`) before all others; while leased: when the lease expires. */
  nextAttemptAt: number;
  /** Fencing token; null: not leased. */
  lease: string | null;
}

interface ChangesTable {
  seq: Generated<number>;
  kind: ChangeKind;
  key: string;
  createdAt: number;
}

/** No foreign key: a subject may be anything. */
interface RequestCountsTable {
  subject: string;
  operation: string;
  windowMs: number;
  windowEndsAt: number;
  requests: number;
}

/** What creations made, for repeats. Either `made` or `secret` is there. */
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
