import { allItems, type CallOptions, type Page } from '../../client/client.ts';

/** All items of a list that is short: keys, webhooks, environments. */
export async function listAll<Input extends { cursor?: string | undefined }, Item>(
  list: (input: Input, options?: CallOptions) => Promise<Page<Item>>,
  input: Input,
  signal: AbortSignal,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of allItems(list, input, { signal })) items.push(item);
  return items;
}
