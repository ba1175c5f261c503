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
  root_keys: RootKeysTable;
  signing_keys: SigningKeysTable;
  projects: ProjectsTable;
  apps: AppsTable;
  environments: EnvironmentsTable;
  deployments: DeploymentsTable;
  domains: DomainsTable;
  checks: ChecksTable;
  check_results: CheckResultsTable;
  routes: RoutesTable;
  redirects: RedirectsTable;
  suspensions: SuspensionsTable;
  suspended_names: SuspendedNamesTable;
  monitors: MonitorsTable;
  deleted_domains: DeletedDomainsTable;
  deleted_certificates: DeletedCertificatesTable;
  certificates: CertificatesTable;
  served_certificates: ServedCertificatesTable;
  inherited_certificates: InheritedCertificatesTable;
  certificate_orders: CertificateOrdersTable;
  heartbeats: HeartbeatsTable;
  spending: SpendingTable;
  challenges: ChallengesTable;
  ca_accounts: CaAccountsTable;
  events: EventsTable;
  setup_links: SetupLinksTable;
  setup_pages: SetupPagesTable;
  setup_origins: SetupOriginsTable;
  webhooks: WebhooksTable;
  webhook_secrets: WebhookSecretsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  webhook_queues: WebhookQueuesTable;
  changes: ChangesTable;
  request_counts: RequestCountsTable;
  idempotency_keys: IdempotencyKeysTable;
  audit_entries: AuditEntriesTable;
}

interface WorkspacesTable {
  id: string;
  name: string;
  disabled_at: number | null;
  /** JSON of `WorkspaceLimits`. */
  limits: string;
  created_at: number;
  /** Status of the page in place of its sites; null, as `suspended_at`: the operator has not suspended it. */
  suspended_status: SuspensionStatus | null;
  suspended_at: number | null;
}

interface RootKeysTable {
  id: string;
  workspace_id: string;
  /** SHA-256 of the key: 32 bytes, unique. */
  hash: Uint8Array;
  name: string;
  start: string;
  /** JSON: the grants as given. */
  permissions: string;
  expires_at: number | null;
  disabled_at: number | null;
  created_at: number;
  last_used_at: number | null;
}

/** At most one row has no `retired_at`. */
interface SigningKeysTable {
  id: string;
  /** SPKI, DER. */
  public_key: Uint8Array;
  /** PKCS #8, DER. A secret. */
  private_key: Uint8Array;
  created_at: number;
  retired_at: number | null;
}

interface SetupLinksTable {
  id: string;
  workspace_id: string;
  /** The link is deleted with the domain. */
  domain_id: string;
  /** SHA-256 of the token: 32 bytes, unique. */
  hash: Uint8Array;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  created_by: string | null;
  revoked_by: string | null;
}

interface SetupPagesTable {
  workspace_id: string;
  /** JSON of `Brand`. */
  brand: string;
  /** JSON: the origins, which are in `setup_origins` too. */
  origins: string;
}

interface SetupOriginsTable {
  origin: string;
  workspace_id: string;
}

interface ProjectsTable {
  id: string;
  workspace_id: string;
  slug: string;
  name: string | null;
  created_at: number;
}

interface AppsTable extends ProjectsTable {
  project_id: string;
}

interface EnvironmentsTable extends AppsTable {
  app_id: string;
  current_deployment_id: string | null;
}

interface DeploymentsTable {
  id: string;
  workspace_id: string;
  environment_id: string;
  origin: string;
  created_at: number;
}

interface DomainsTable {
  id: string;
  workspace_id: string;
  project_id: string;
  app_id: string;
  environment_id: string;
  /** Unique in the workspace; unique everywhere among the verified ones. */
  name: string;
  kind: DomainKind;
  service: string;
  target: string;
  token: string;
  status: DomainStatus;
  routing_verified_at: number | null;
  ownership_verified_at: number | null;
  verification_error: string | null;
  created_at: number;
  updated_at: number | null;
  verified_at: number | null;
  window_started_at: number;
  revision: number;
}

/** The schedule: one narrow row for each domain inside its window. */
interface ChecksTable {
  domain_id: string;
  next_check_at: number;
  window_ends_at: number;
  attempts: number;
  unreadable_in_a_row: number;
  proven_since: number | null;
  ownership_doubt: RecordDoubt;
  routing_doubt: RecordDoubt;
  fingerprint: string | null;
  last_check_at: number | null;
}

/** The last check of each domain that found anything new. Deleted with the domain. */
interface CheckResultsTable {
  domain_id: string;
  digest: string;
  checked_at: number;
  /** JSON, at most 8 KiB. */
  findings: string;
  /** JSON, at most 8 KiB. */
  observation: string;
}

interface RoutesTable {
  hostname: string;
  domain_id: string;
  environment_id: string;
}

/** Deleted with the domain, and with the route of its destination. */
interface RedirectsTable {
  domain_id: string;
  /** `routes.domain_id`: the destination is verified. */
  destination_id: string;
  status: RedirectStatus;
  set_at: number;
}

/** Domains that their workspace has suspended. Deleted with the domain. */
interface SuspensionsTable {
  domain_id: string;
  status: SuspensionStatus;
  suspended_at: number;
}

/** Names that the operator has suspended in a workspace, whichever domain has them. */
interface SuspendedNamesTable {
  workspace_id: string;
  name: string;
  status: SuspensionStatus;
  suspended_at: number;
}

/** The schedule of re-checks: one narrow row for each route, and so for each verified domain; deleted with it. */
interface MonitorsTable {
  domain_id: string;
  next_check_at: number;
  last_check_at: number | null;
  attempts: number;
  /** JSON; null: nothing. */
  suspected: string | null;
  drifted_since: number | null;
  gone_since: number | null;
  gone_until: number | null;
}

/** One for each route. Each transaction that changes anything of a certificate updates this row first, which serialises them. */
interface CertificatesTable {
  hostname: string;
  state: CertificateState;
  created_at: number;
  /** The workspace of the domain, for fair scheduling. */
  workspace_id: string;
  next_try_at: number;
  leased_until: number | null;
  /** 1: a certificate is in use, or an order in flight; 0: neither. */
  begun: number;
  /** Fencing token of the last lease. */
  lease: number;
  failures: number;
  /** JSON of `CertificateProblem`. */
  problem: string | null;
  /** JSON of `SelfCheck`. */
  self_check: string | null;
  /** When a CA last failed to validate the name. */
  authorization_failed_at: number | null;
}

/** Certificates in use. */
interface ServedCertificatesTable {
  hostname: string;
  issuer: string;
  /** PEM. */
  chain: string;
  /** PKCS #8, DER. A secret. */
  private_key: Uint8Array;
  not_before: number;
  not_after: number;
  issued_at: number;
  /** JSON of `RenewalWindow`. */
  renewal: string;
  /** When `certificate.expiring` is due; null: it was recorded. */
  expiring_at: number | null;
}

/** The former certificate of a name that was taken over, served until the new domain has its own. */
interface InheritedCertificatesTable {
  hostname: string;
  /** PEM. */
  chain: string;
  /** PKCS #8, DER. A secret, sealed as it was in `served_certificates`. */
  private_key: Uint8Array;
  not_after: number;
}

/** Domains that can still be restored. No foreign key: it holds nothing that is there. */
interface DeletedDomainsTable {
  id: string;
  workspace_id: string;
  name: string;
  /** JSON of `Domain`, as it was deleted. */
  domain: string;
  /** JSON of `HeldRedirect`; null: it did not redirect. */
  redirect: string | null;
  /** JSON of `Suspension`; null: it was not suspended. */
  suspension: string | null;
  deleted_at: number;
  kept_until: number;
  /** When another workspace was verified for the name: it cannot be restored any more. */
  superseded_at: number | null;
}

/** The certificates that deleted domains had in use. Deleted with them, and as soon as another workspace is verified for the name. */
interface DeletedCertificatesTable {
  domain_id: string;
  hostname: string;
  issuer: string;
  /** PEM. */
  chain: string;
  /** PKCS #8, DER. A secret, sealed as it was in `served_certificates`. */
  private_key: Uint8Array;
  not_before: number;
  not_after: number;
  issued_at: number;
  /** JSON of `RenewalWindow`. */
  renewal: string;
}

/** When a process with the role was last there; of `backup`: of when the last backup is. */
interface HeartbeatsTable {
  role: 'certificates' | 'backup';
  seen_at: number;
}

/** Orders in flight. */
interface CertificateOrdersTable {
  hostname: string;
  issuer: string;
  url: string | null;
  /** PKCS #8, DER. A secret. */
  private_key: Uint8Array;
  replaces: string | null;
  started_at: number;
  /** Its entry in the ledger. */
  spending_seq: number;
}

/** The ledger of orders. */
interface SpendingTable {
  seq: Generated<number>;
  issuer: string;
  hostname: string;
  registered_domain: string;
  /** 1: exempt. */
  exempt: number;
  /** Null: in flight, or unknown. */
  outcome: 'issued' | 'failed' | null;
  ordered_at: number;
  /** When the CA counted its outcome: when the order ended; until then when it began. */
  counted_at: number;
}

interface ChallengesTable {
  hostname: string;
  token: string;
  key_authorization: string;
  expires_at: number;
}

interface CaAccountsTable {
  issuer: string;
  url: string | null;
  /** PKCS #8, DER. A secret. */
  private_key: Uint8Array;
  /** PEM. */
  certificate: string | null;
  paused_until: number | null;
  problem: string | null;
  created_at: number;
}

/** No foreign keys: entries outlive what they are about. */
interface AuditEntriesTable {
  /** In order of writing, which ids of several processes are not. */
  seq: Generated<number>;
  id: string;
  /** Null: what was changed belongs to no workspace. */
  workspace_id: string | null;
  kind: AuthorKind;
  actor: string;
  action: string;
  /** Address of the client, or name of the host. */
  source: string;
  request_id: string | null;
  target: string;
  target_name: string | null;
  /** JSON. */
  detail: string;
  created_at: number;
}

/** No foreign key: the timeline outlives the domain. */
interface EventsTable {
  /** In order of writing, which ids of several processes are not. */
  seq: Generated<number>;
  id: string;
  domain_id: string;
  workspace_id: string;
  type: DomainEventType;
  /** JSON. */
  data: string;
  created_at: number;
  actor: string | null;
}

interface WebhooksTable {
  id: string;
  workspace_id: string;
  url: string;
  /** JSON: event types; null: all. */
  types: string | null;
  created_at: number;
  updated_at: number | null;
  disabled_at: number | null;
  /** Null while it is enabled. */
  disabled_reason: WebhookDisabledReason | null;
  /** First failed attempt to deliver an event since the last delivery, or since a long time without attempts; null: there was none. */
  failing_since: number | null;
  /** Last failed attempt to deliver an event. */
  last_failed_at: number | null;
}

/** One for each webhook, and its predecessor for a while after a rotation. Deleted with the webhook. */
interface WebhookSecretsTable {
  id: string;
  webhook_id: string;
  /** `whsec_…`, UTF-8. A secret. */
  secret: Uint8Array;
  created_at: number;
  /** Null: until it is rotated. */
  expires_at: number | null;
}

/** The outbox, and the log of deliveries. No foreign key: a change of a domain must not wait for, or fail with, that of a webhook. */
interface WebhookDeliveriesTable {
  /** In a queue, the order of commits: it is drawn while the queue's row is locked. */
  seq: Generated<number>;
  id: string;
  webhook_id: string;
  queue: string;
  event_id: string;
  type: WebhookEventType;
  /** JSON of `WebhookMessage`; null in a test. */
  message: string | null;
  happened_at: number;
  created_at: number;
  attempts: number;
  last_attempt_at: number | null;
  last_duration_ms: number | null;
  /** HTTP status of the last response. */
  last_status: number | null;
  last_error: string | null;
  /** Body of the last response, at most 64 KiB; of the newest ones of a webhook (`webhook/delivery-results.ts`). */
  last_response: string | null;
  outcome: 'delivered' | 'failed' | null;
  /** Null while it waits. */
  finished_at: number | null;
}

/** The schedule of deliveries: one narrow row for each webhook and domain with deliveries that wait. No foreign key, as above. */
interface WebhookQueuesTable {
  webhook_id: string;
  /** Id of a domain; of a test or a repeated delivery, which wait for nothing, its own id. */
  queue: string;
  /** Of its first delivery; `AHEAD` (`webhook/queue.ts`) before all others; while leased: when the lease expires. */
  next_attempt_at: number;
  /** Fencing token; null: not leased. */
  lease: string | null;
}

interface ChangesTable {
  seq: Generated<number>;
  kind: ChangeKind;
  key: string;
  created_at: number;
}

/** No foreign key: a subject may be anything. */
interface RequestCountsTable {
  subject: string;
  operation: string;
  window_ms: number;
  window_ends_at: number;
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
  created_at: number;
}
