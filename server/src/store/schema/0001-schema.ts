/** The schema of 0.1.0. `schema.ts` says what the columns hold. */
export const SCHEMA = `
-- Workspaces, their keys, and the keys that sign dashboard tokens.
create table workspaces (
  id TEXT not null primary key, name TEXT not null, disabled_at INTEGER, limits TEXT not null,
  created_at INTEGER not null, suspended_status INTEGER, suspended_at INTEGER, parent_id TEXT
) STRICT;
create index workspaces_by_parent_id_id on workspaces (parent_id, id);

create table root_keys (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id), hash BYTES not null unique,
  name TEXT not null, start TEXT not null, permissions TEXT not null, expires_at INTEGER, disabled_at INTEGER,
  created_at INTEGER not null, last_used_at INTEGER, created_by TEXT, replaced_by TEXT
) STRICT;
create index root_keys_by_workspace_id_id on root_keys (workspace_id, id);

create table dashboard_sessions (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id), hash BYTES not null unique,
  subject TEXT not null, permissions TEXT not null, created_at INTEGER not null, opened_at INTEGER,
  expires_at INTEGER not null
) STRICT;
create index dashboard_sessions_by_expires_at on dashboard_sessions (expires_at);
create index dashboard_sessions_by_workspace_id_subject on dashboard_sessions (workspace_id, subject);

create table signing_keys (
  id TEXT not null primary key, public_key BYTES not null, private_key BYTES not null, created_at INTEGER not null,
  retired_at INTEGER
) STRICT;
-- Indexes by_key_id find secrets by their prefix: format and key id.
create index signing_keys_by_key_id on signing_keys (substr(private_key, 1, 9));
create index signing_keys_by_retired_at on signing_keys (retired_at);

create table connect_keys (
  id TEXT not null primary key, public_key BYTES not null, private_key BYTES not null, created_at INTEGER not null
) STRICT;
create index connect_keys_by_key_id on connect_keys (substr(private_key, 1, 9));

-- The tree.
create table projects (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id), slug TEXT not null, name TEXT,
  created_at INTEGER not null,
  constraint projects_slug unique (workspace_id, slug)
) STRICT;
create index projects_by_workspace_id_id on projects (workspace_id, id);

create table apps (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id), slug TEXT not null, name TEXT,
  created_at INTEGER not null, project_id TEXT not null references projects (id),
  constraint apps_slug unique (project_id, slug)
) STRICT;
create index apps_by_project_id_id on apps (project_id, id);

create table environments (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id), slug TEXT not null, name TEXT,
  created_at INTEGER not null, project_id TEXT not null references projects (id),
  app_id TEXT not null references apps (id), current_deployment_id TEXT,
  constraint environments_slug unique (app_id, slug)
) STRICT;
create index environments_by_app_id_id on environments (app_id, id);

create table deployments (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id),
  environment_id TEXT not null references environments (id), origin TEXT not null, created_at INTEGER not null
) STRICT;
create index deployments_by_environment_id_id on deployments (environment_id, id);

-- What environments say of their origins. Sealed: the secrets, and the key of the client certificate.
create table origin_settings (
  environment_id TEXT not null primary key references environments (id) on delete cascade, host_header TEXT,
  ca_certificate TEXT, client_certificate TEXT, client_key BYTES, secret BYTES, secret_created_at INTEGER,
  previous_secret BYTES, previous_expires_at INTEGER, sends_external_id INTEGER
) STRICT;
create index origin_settings_by_client_key_key_id on origin_settings (substr(client_key, 1, 9))
  where client_key is not null;
create index origin_settings_by_previous_key_id on origin_settings (substr(previous_secret, 1, 9))
  where previous_secret is not null;
create index origin_settings_by_secret_key_id on origin_settings (substr(secret, 1, 9)) where secret is not null;

-- Domains, their checks, and what serves them.
create table domains (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id), project_id TEXT not null,
  app_id TEXT not null, environment_id TEXT not null references environments (id), name TEXT not null,
  kind TEXT not null, service TEXT not null, target TEXT not null, token TEXT not null, status TEXT not null,
  routing_verified_at INTEGER, ownership_verified_at INTEGER, verification_error TEXT, created_at INTEGER not null,
  updated_at INTEGER, verified_at INTEGER, window_started_at INTEGER not null, revision INTEGER not null,
  external_id TEXT, metadata TEXT, challenge_zone TEXT, challenge_verified_at INTEGER,
  shared_addresses TEXT,
  constraint domains_name unique (workspace_id, name)
) STRICT;
create index domains_by_environment_id_id on domains (environment_id, id);
-- A target of its own is one domain's alone. The domains of a shared one are counted.
create unique index domains_own_target on domains (target) where shared_addresses is null;
create index domains_shared_target on domains (target) where shared_addresses is not null;
-- Finds the domain of a token that was published at the name of another one.
create index domains_by_token on domains (token);
create index domains_by_workspace_id_status_name on domains (workspace_id, status, name);
-- Guarantees that no two workspaces have one name verified.
create unique index domains_verified_name on domains (name) where status = 'verified';

-- Hosts of platforms that the operator lets a workspace have as targets.
create table shared_targets (
  host TEXT not null primary key, workspace_id TEXT not null references workspaces (id), addresses TEXT not null,
  created_at INTEGER not null
) STRICT;
create index shared_targets_by_workspace_id on shared_targets (workspace_id, host);

-- What domains are found by: the pairs of their metadata, and their external id under the key ''.
create table domain_pairs (
  workspace_id TEXT not null, key TEXT not null, value TEXT not null, place TEXT not null,
  domain_id TEXT not null references domains (id) on delete cascade,
  constraint domain_pairs_key primary key (workspace_id, key, value, place)
) STRICT;
create index domain_pairs_by_domain_id on domain_pairs (domain_id);

create table checks (
  domain_id TEXT not null primary key references domains (id), next_check_at INTEGER not null,
  window_ends_at INTEGER not null, attempts INTEGER not null, unreadable_in_a_row INTEGER not null,
  proven_since INTEGER, ownership_doubt TEXT, routing_doubt TEXT, fingerprint TEXT, last_check_at INTEGER
) STRICT;
create index checks_by_next_check_at on checks (next_check_at);

create table check_results (
  domain_id TEXT not null primary key references domains (id) on delete cascade, digest TEXT not null,
  checked_at INTEGER not null, findings TEXT not null, observation TEXT not null, told TEXT, told_at INTEGER
) STRICT;

create table routes (
  hostname TEXT not null primary key, domain_id TEXT not null unique references domains (id),
  environment_id TEXT not null references environments (id), wildcard TEXT
) STRICT;
create index routes_by_environment_id on routes (environment_id);
create index routes_by_wildcard on routes (wildcard);

create table monitors (
  domain_id TEXT not null primary key references routes (domain_id) on delete cascade, next_check_at INTEGER not null,
  last_check_at INTEGER, attempts INTEGER not null, suspected TEXT, drifted_since INTEGER, gone_since INTEGER,
  gone_until INTEGER
) STRICT;
create index monitors_by_next_check_at on monitors (next_check_at);
create index monitors_drifted on monitors (domain_id) where drifted_since is not null;

-- What was seen from outside of each name that has a route.
create table live_checks (
  domain_id TEXT not null primary key references routes (domain_id) on delete cascade,
  hostname TEXT not null unique, next_check_at INTEGER not null, state TEXT, seen TEXT, doubted INTEGER not null
) STRICT;
create index live_checks_by_next_check_at on live_checks (next_check_at);

-- A redirect takes effect while its destination has a route.
create table redirects (
  domain_id TEXT not null primary key references domains (id) on delete cascade,
  destination_id TEXT not null references domains (id) on delete cascade, status INTEGER not null,
  set_at INTEGER not null
) STRICT;
create index redirects_by_destination_id_domain_id on redirects (destination_id, domain_id);

-- What a domain sets for its own site.
create table site_settings (
  domain_id TEXT not null primary key references domains (id) on delete cascade, settings TEXT not null
) STRICT;

create table suspensions (
  domain_id TEXT not null primary key references domains (id) on delete cascade, status INTEGER not null,
  suspended_at INTEGER not null
) STRICT;

-- By name, so that a domain that is deleted and added again stays suspended.
create table suspended_names (
  workspace_id TEXT not null references workspaces (id) on delete cascade, name TEXT not null,
  status INTEGER not null, suspended_at INTEGER not null,
  constraint suspended_names_key primary key (workspace_id, name)
) STRICT;

-- Domains that can still be restored. In tables of their own, so that no query, index or quota of live domains has to leave them out.
create table deleted_domains (
  id TEXT not null primary key, workspace_id TEXT not null, name TEXT not null, domain TEXT not null, redirect TEXT,
  suspension TEXT, settings TEXT, deleted_at INTEGER not null, kept_until INTEGER not null, superseded_at INTEGER
) STRICT;
create index deleted_domains_by_kept_until on deleted_domains (kept_until);
create index deleted_domains_by_name_workspace_id on deleted_domains (name, workspace_id);
create index deleted_domains_by_workspace_id on deleted_domains (workspace_id);

create table deleted_certificates (
  domain_id TEXT not null primary key references deleted_domains (id) on delete cascade, hostname TEXT not null,
  issuer TEXT not null, chain TEXT not null, private_key BYTES not null, not_before INTEGER not null,
  not_after INTEGER not null, issued_at INTEGER not null, renewal TEXT not null
) STRICT;
create index deleted_certificates_by_key_id on deleted_certificates (substr(private_key, 1, 9));

-- Certificates. What belongs to one is deleted with it.
create table certificates (
  hostname TEXT not null primary key, state TEXT not null, created_at INTEGER not null, workspace_id TEXT not null,
  next_try_at INTEGER not null, leased_until INTEGER, begun INTEGER not null, lease INTEGER not null,
  failures INTEGER not null, problem TEXT, self_check TEXT, authorization_failed_at INTEGER,
  challenge TEXT
) STRICT;
create index certificates_by_begun_next_try_at on certificates (begun, next_try_at);
create index certificates_by_begun_workspace_id_next_try_at on certificates (begun, workspace_id, next_try_at);
create index certificates_by_state_hostname on certificates (state, hostname);
create index certificates_by_workspace_id_state_hostname on certificates (workspace_id, state, hostname);
-- Those that have been waiting to be ordered for longest. Few rows are in it.
create index certificates_waiting on certificates (created_at)
  where state not in ('waiting_for_routing', 'ordering', 'issued', 'renewing') and authorization_failed_at is null;

create table served_certificates (
  hostname TEXT not null primary key references certificates (hostname) on delete cascade, issuer TEXT not null,
  chain TEXT not null, private_key BYTES not null, not_before INTEGER not null, not_after INTEGER not null,
  issued_at INTEGER not null, renewal TEXT not null, expiring_at INTEGER
) STRICT;
create index served_certificates_by_expiring_at on served_certificates (expiring_at);
create index served_certificates_by_key_id on served_certificates (substr(private_key, 1, 9));
create index served_certificates_by_not_after on served_certificates (not_after);

create table inherited_certificates (
  hostname TEXT not null primary key references certificates (hostname) on delete cascade, chain TEXT not null,
  private_key BYTES not null, not_after INTEGER not null
) STRICT;
create index inherited_certificates_by_key_id on inherited_certificates (substr(private_key, 1, 9));
create index inherited_certificates_by_not_after on inherited_certificates (not_after);

-- The managed certificate that an imported one has replaced.
create table fallback_certificates (
  hostname TEXT not null primary key references certificates (hostname) on delete cascade, issuer TEXT not null,
  chain TEXT not null, private_key BYTES not null, not_before INTEGER not null, not_after INTEGER not null,
  issued_at INTEGER not null, renewal TEXT not null
) STRICT;
create index fallback_certificates_by_key_id on fallback_certificates (substr(private_key, 1, 9));
create index fallback_certificates_by_not_after on fallback_certificates (not_after);

-- The certificate of a domain that has no route yet, from the server that it moves from. Several domains may have the name.
create table staged_certificates (
  domain_id TEXT not null primary key references domains (id) on delete cascade, hostname TEXT not null, issuer TEXT not null,
  chain TEXT not null, private_key BYTES not null, not_before INTEGER not null, not_after INTEGER not null,
  issued_at INTEGER not null, renewal TEXT not null
) STRICT;
create index staged_certificates_by_key_id on staged_certificates (substr(private_key, 1, 9));
create index staged_certificates_by_not_after on staged_certificates (not_after);

-- No foreign key: a challenge that is left behind expires.
create table challenges (
  hostname TEXT not null, token TEXT not null, key_authorization TEXT not null, expires_at INTEGER not null,
  constraint challenges_pkey primary key (hostname, token)
) STRICT;
create index challenges_by_expires_at on challenges (expires_at);

-- Challenges that our DNS servers answer, by the label of the domain's target. No foreign key, as above.
create table dns_challenges (
  label TEXT not null, value TEXT not null, expires_at INTEGER not null,
  constraint dns_challenges_pkey primary key (label, value)
) STRICT;
create index dns_challenges_by_expires_at on dns_challenges (expires_at);

-- Addresses that edges have reported, for our DNS servers.
create table edge_addresses (
  address TEXT not null primary key, seen_at INTEGER not null
) STRICT;
create index edge_addresses_by_seen_at on edge_addresses (seen_at);

create table certificate_orders (
  hostname TEXT not null primary key references certificates (hostname) on delete cascade, issuer TEXT not null,
  url TEXT, private_key BYTES not null, replaces TEXT, started_at INTEGER not null, spending_seq INTEGER not null
) STRICT;
create index certificate_orders_by_key_id on certificate_orders (substr(private_key, 1, 9));

-- The ledger outlives certificates and domains, since the CA's limits do.
create table spending (
  seq SEQUENCE, issuer TEXT not null, hostname TEXT not null, registered_domain TEXT not null,
  exempt INTEGER not null, outcome TEXT, ordered_at INTEGER not null, counted_at INTEGER not null
) STRICT;
create index spending_by_issuer_exempt_ordered_at on spending (issuer, exempt, ordered_at);
create index spending_by_issuer_hostname_counted_at on spending (issuer, hostname, counted_at);
create index spending_by_issuer_registered_domain_counted_at on spending (issuer, registered_domain, counted_at);
create index spending_by_ordered_at on spending (ordered_at);

create table ca_accounts (
  issuer TEXT not null primary key, url TEXT, private_key BYTES not null, certificate TEXT, paused_until INTEGER,
  problem TEXT, created_at INTEGER not null
) STRICT;
create index ca_accounts_by_key_id on ca_accounts (substr(private_key, 1, 9));

create table heartbeats (
  role TEXT not null primary key, seen_at INTEGER not null
) STRICT;

-- Set-up links, what a workspace shows with them, and the origins by which preflights are answered.
create table setup_links (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id),
  domain_id TEXT not null references domains (id) on delete cascade, hash BYTES not null unique,
  purpose TEXT not null, created_at INTEGER not null, expires_at INTEGER not null, revoked_at INTEGER, created_by TEXT, revoked_by TEXT
) STRICT;
create index setup_links_by_domain_id_id on setup_links (domain_id, id);
create index setup_links_by_expires_at on setup_links (expires_at);
create index setup_links_not_revoked on setup_links (domain_id, expires_at) where revoked_at is null;

create table setup_pages (
  workspace_id TEXT not null primary key references workspaces (id), brand TEXT not null, origins TEXT not null
) STRICT;

create table setup_origins (
  origin TEXT not null, workspace_id TEXT not null references workspaces (id),
  constraint setup_origins_key primary key (origin, workspace_id)
) STRICT;
create index setup_origins_by_workspace_id on setup_origins (workspace_id);

-- Webhooks and the outbox of their deliveries.
create table webhooks (
  id TEXT not null primary key, workspace_id TEXT not null references workspaces (id), url TEXT not null, types TEXT,
  created_at INTEGER not null, updated_at INTEGER, disabled_at INTEGER, disabled_reason TEXT, failing_since INTEGER,
  last_failed_at INTEGER
) STRICT;
create index webhooks_by_disabled_at on webhooks (disabled_at) where disabled_at is not null;
create index webhooks_by_failing_since on webhooks (failing_since) where failing_since is not null;
create index webhooks_by_workspace_id_id on webhooks (workspace_id, id);

create table webhook_secrets (
  id TEXT not null primary key, webhook_id TEXT not null references webhooks (id) on delete cascade,
  secret BYTES not null, created_at INTEGER not null, expires_at INTEGER
) STRICT;
create index webhook_secrets_by_key_id on webhook_secrets (substr(secret, 1, 9));
create index webhook_secrets_by_webhook_id on webhook_secrets (webhook_id);

create table webhook_deliveries (
  seq SEQUENCE, id TEXT not null, webhook_id TEXT not null, queue TEXT not null, event_id TEXT not null,
  type TEXT not null, message TEXT, happened_at INTEGER not null, created_at INTEGER not null,
  attempts INTEGER not null, last_attempt_at INTEGER, last_duration_ms INTEGER, last_status INTEGER, last_error TEXT,
  last_response TEXT, outcome TEXT, finished_at INTEGER,
  constraint webhook_deliveries_id unique (webhook_id, id)
) STRICT;
create index webhook_deliveries_by_created_at on webhook_deliveries (created_at);
create index webhook_deliveries_by_webhook_id_outcome_id on webhook_deliveries (webhook_id, outcome, id);
-- The first delivery of a queue.
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, queue, seq) where finished_at is null;
create index webhook_deliveries_with_response on webhook_deliveries (webhook_id, last_attempt_at, seq)
  where last_response is not null;

-- The key begins with the queue, so that claims in order of time have one index of a webhook to choose.
create table webhook_queues (
  webhook_id TEXT not null, queue TEXT not null, next_attempt_at INTEGER not null, lease TEXT,
  constraint webhook_queues_key primary key (queue, webhook_id)
) STRICT;
create index webhook_queues_by_webhook_id_next_attempt_at on webhook_queues (webhook_id, next_attempt_at);

-- The logs, and what expires.
create table events (
  seq SEQUENCE, id TEXT not null unique, domain_id TEXT not null, workspace_id TEXT not null, type TEXT not null,
  data TEXT not null, created_at INTEGER not null, actor TEXT
) STRICT;
create index events_by_created_at on events (created_at);
create index events_by_domain_id_seq on events (domain_id, seq);

create table changes (
  seq SEQUENCE, kind TEXT not null, key TEXT not null, created_at INTEGER not null
) STRICT;

create table audit_entries (
  seq SEQUENCE, id TEXT not null, workspace_id TEXT, kind TEXT not null, actor TEXT not null, action TEXT not null,
  source TEXT not null, request_id TEXT, target TEXT not null, target_name TEXT, detail TEXT not null,
  created_at INTEGER not null
) STRICT;
create index audit_entries_by_created_at on audit_entries (created_at);
create index audit_entries_by_workspace_id_seq on audit_entries (workspace_id, seq);

create table idempotency_keys (
  id TEXT not null primary key, fingerprint TEXT not null, outcome TEXT not null, made BYTES, secret BYTES,
  created_at INTEGER not null
) STRICT;
create index idempotency_keys_by_created_at on idempotency_keys (created_at);
create index idempotency_keys_by_key_id on idempotency_keys (substr(secret, 1, 9)) where secret is not null;

create table request_counts (
  subject TEXT not null, operation TEXT not null, window_ms INTEGER not null, window_ends_at INTEGER not null,
  requests INTEGER not null,
  constraint request_counts_pkey primary key (subject, operation, window_ms, window_ends_at)
) STRICT;
create index request_counts_by_window_ends_at on request_counts (window_ends_at);

-- Usage. Domains are numbered when they are first served, so that many share a row and each costs a few bytes an hour.
-- A deleted one keeps its number, for bills.
create table usage_domains (
  seq SEQUENCE, domain_id TEXT not null unique, workspace_id TEXT not null, environment_id TEXT not null,
  deleted_at INTEGER
) STRICT;
create index usage_domains_by_deleted_at on usage_domains (deleted_at) where deleted_at is not null;
create index usage_domains_by_workspace_id_seq on usage_domains (workspace_id, seq);

create table usage_counts (
  starts_at INTEGER not null, chunk INTEGER not null, counts BYTES not null,
  constraint usage_counts_key primary key (starts_at, chunk)
) STRICT;
create index usage_counts_by_chunk_starts_at on usage_counts (chunk, starts_at);

create table usage_writers (
  id TEXT not null primary key, last_write INTEGER not null, written_at INTEGER not null
) STRICT;
create index usage_writers_by_written_at on usage_writers (written_at);
`;
