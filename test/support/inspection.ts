import { DatabaseSync } from 'node:sqlite';
import { type Entry, timelineFaults } from '../crash/timeline.ts';

/** A database file, looked at from outside, all of it at one moment. */
export interface Contents {
  /** Every rule that is broken, and by what. */
  faults: string[];
  domains: StoredDomain[];
  /** In hex. */
  keyHashes: Set<string>;
}

export interface StoredDomain {
  id: string;
  workspaceId: string;
  name: string;
  target: string;
  token: string;
  status: string;
  windowStartedAt: number;
}

/** Inconsistencies of a file, each as a query that finds it. */
const FAULTS: Record<string, string> = {
  'a domain that waits has no check':
    "select id from domains where status in ('pending', 'verifying') and id not in (select domain_id from checks)",
  'a check is for no domain that waits':
    "select domain_id from checks where domain_id not in (select id from domains where status in ('pending', 'verifying'))",
  'a check is not due within two periods':
    'select domain_id from checks where next_check_at > :now + 2 * :checkIntervalMs',
  "a check's window is not its domain's":
    'select id from domains join checks on domain_id = id where window_ends_at <> window_started_at + :windowMs',
  'a verified domain has no route':
    "select id from domains d where status = 'verified' and not exists (select 1 from routes r where r.hostname = d.name and r.domain_id = d.id and r.environment_id = d.environment_id)",
  'a route leads to no verified domain':
    "select hostname from routes where domain_id not in (select id from domains where status = 'verified')",
  'a verified domain has no certificate asked for':
    "select id from domains where status = 'verified' and name not in (select hostname from certificates)",
  'a verified domain is not monitored':
    "select d.id from domains d where status = 'verified' and not exists (select 1 from monitors m where m.domain_id = d.id)",
  'a domain is monitored that is not verified':
    "select domain_id from monitors where domain_id not in (select id from domains where status = 'verified')",
  'a domain has drifted, and does not say why, or since when':
    'select d.id from domains d join monitors m on m.domain_id = d.id where (m.drifted_since is null) <> (d.verification_error is null)',
  'the result of a check is no JSON, or too long':
    'select domain_id from check_results where not json_valid(findings) or not json_valid(observation) or length(findings) > 8192 or length(observation) > 8192',
  'a certificate is for no verified domain':
    "select hostname from certificates where hostname not in (select name from domains where status = 'verified')",
  'a name is verified twice': "select name from domains where status = 'verified' group by name having count(*) > 1",
  'a domain is verified at no time, or was once':
    "select id from domains where status = 'verified' and verified_at is null",
  'a failed domain has no reason': "select id from domains where status = 'failed' and verification_error is null",
  'a domain is not as its last event says': `select d.id from domains d left join events e on e.seq = (select max(seq) from events where domain_id = d.id)
      where e.seq is null
        or e.data ->> 'name' <> d.name
        or e.data ->> 'environmentId' <> d.environment_id
        or (e.data ->> 'status' <> d.status and not (e.data ->> 'status' = 'pending' and d.status = 'verifying'))
        or e.data ->> 'routingVerified' <> (d.routing_verified_at is not null)
        or e.data ->> 'ownershipVerified' <> (d.ownership_verified_at is not null)
        or (e.data ->> 'verificationError' is not d.verification_error and d.status in ('verified', 'failed'))`,
  'a domain does not begin with its creation':
    "select d.id from domains d join events e on e.seq = (select min(seq) from events where domain_id = d.id) where e.type <> 'domain.created'",
  'a domain is gone, and no event says so':
    "select domain_id from events e where domain_id not in (select id from domains) group by domain_id having max(case when type = 'domain.deleted' then 1 else 0 end) = 0",
  'a domain is there after its deletion':
    "select domain_id from events where type = 'domain.deleted' and domain_id in (select id from domains)",
};

export interface About {
  /** Unix ms. Asked once the moment is fixed that is looked at: servers move checks into the future all the time. */
  now(): number;
  checkIntervalMs: number;
  windowMs: number;
}

/** Opens the file as a reader. */
export function inspect(path: string, about: About): Contents {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    db.exec('begin');
    // The first read fixes the moment.
    db.prepare('select 1 from domains').get();
    const { checkIntervalMs, windowMs } = about;
    const values = { now: about.now(), checkIntervalMs, windowMs };
    const all = (query: string) => db.prepare(query).all();
    const faults = Object.entries(FAULTS).flatMap(([fault, query]) => {
      const statement = db.prepare(query);
      statement.setAllowUnknownNamedParameters(true);
      const found = statement.all(values).map((row) => Object.values(row).join());
      return found.length === 0 ? [] : [`${fault}: ${found.slice(0, 5).join(', ')} (${found.length} in all)`];
    });
    const [intact, ...damage] = all('pragma integrity_check').map((row) => String(row.integrity_check));
    if (intact !== 'ok') faults.push(`integrity_check: ${[intact, ...damage].join('; ')}`);
    const orphans = all('pragma foreign_key_check');
    if (orphans.length > 0) faults.push(`foreign_key_check: ${JSON.stringify(orphans.slice(0, 5))}`);
    const events = all('select domain_id as domainId, type, data from events order by seq');
    faults.push(...timelineFaults(events.map((row) => ({ ...row, data: JSON.parse(String(row.data)) }) as Entry)));
    const domains = all(
      'select id, workspace_id as workspaceId, name, target, token, status, window_started_at as windowStartedAt from domains',
    ) as unknown as StoredDomain[];
    const hashes = all('select hex(hash) as hash from root_keys').map(({ hash }) => String(hash).toLowerCase());
    return { faults, domains, keyHashes: new Set(hashes) };
  } finally {
    db.close();
  }
}
