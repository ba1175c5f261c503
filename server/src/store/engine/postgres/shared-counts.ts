import type pg from 'pg';
import type { RequestCount } from '../../store.ts';

/** One statement without a transaction, so that its locks are released whatever happens to this node. */
export async function addRequests(client: pg.ClientBase, counts: RequestCount[]): Promise<number[]> {
  const { rows } = await client.query<{ requests: number }>({
    name: 'add_requests',
    text: ADD,
    values: [
      counts.map(({ subject }) => subject),
      counts.map(({ operation }) => operation),
      counts.map(({ windowMs }) => windowMs),
      counts.map(({ windowEndsAt }) => windowEndsAt),
      counts.map(({ requests }) => requests),
    ],
  });
  return rows.map(({ requests }) => requests);
}

// Every node locks rows in the same order, so that none deadlock.
const ADD = `
  with given as (
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
      with ordinality as given (subject, operation, window_ms, window_ends_at, requests, place)
  ), added as (
    insert into request_counts (subject, operation, window_ms, window_ends_at, requests)
    select subject, operation, window_ms, window_ends_at, requests from given
    order by subject, operation, window_ms, window_ends_at
    on conflict (subject, operation, window_ms, window_ends_at)
      do update set requests = request_counts.requests + excluded.requests
    returning subject, operation, window_ms, window_ends_at, requests
  )
  select added.requests from added join given using (subject, operation, window_ms, window_ends_at) order by place`;
