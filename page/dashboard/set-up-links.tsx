import { useEffect, useRef, useState } from 'preact/hooks';
import { CopyButton } from '../copy-button.tsx';
import { Code, Name } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { Command } from './command.tsx';
import { useDashboard } from './context.ts';
import { Dialog } from './dialog.tsx';
import { Table } from './parts.tsx';
import { TEXT } from './text.ts';

/** Links that are made at the same time. */
const AT_ONCE = 4;

/** Makes a set-up link for each of these domains, and shows them to be copied. `domains`: names by ids. */
export function SetUpLinks({ domains, onClose }: { domains: ReadonlyMap<string, string>; onClose: () => void }) {
  const { client } = useDashboard();
  const [links, setLinks] = useState<ReadonlyMap<string, string>>(new Map());
  const closed = useRef(new AbortController());
  useEffect(() => () => closed.current.abort(), []);
  const left = [...domains.keys()].filter((id) => !links.has(id));
  const [example = ''] = domains.values();

  async function makeOne(domain: string): Promise<void> {
    const { url } = await client.domains.createSetupLink({ domain });
    setLinks((before) => new Map(before).set(domain, url));
  }

  /** Goes on with those that are left after an error. */
  async function make(): Promise<void> {
    for (let at = 0; at < left.length && !closed.current.signal.aborted; at += AT_ONCE) {
      // All have ended before the button may be used again: no domain gets two links.
      const ended = await Promise.allSettled(left.slice(at, at + AT_ONCE).map(makeOne));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    }
  }

  const made = [...links].map(([id, url]) => ({ name: domains.get(id) ?? id, url }));
  return (
    <Dialog title={TEXT.domains.links.title} onClose={onClose} isWide>
      <p>{TEXT.domains.links.text}</p>
      {left.length > 0 && (
        <ActionButton kind="main" run={make}>
          {TEXT.domains.links.make(left.length)}
        </ActionButton>
      )}
      {made.length > 0 && (
        <>
          <div class="bar">
            <p class="note" role="status">
              {TEXT.domains.links.made(made.length)} {TEXT.domains.links.once}
            </p>
            <CopyButton
              text={made.map(({ name, url }) => `${name}\t${url}`).join('\n')}
              label={TEXT.domains.links.copyAll}
              what={TEXT.signs.colon + TEXT.domains.links.title}
            />
          </div>
          <Table label={TEXT.domains.links.title} columns={TEXT.domains.links.columns}>
            {made.map(({ name, url }) => (
              <tr key={url}>
                <th scope="row">
                  <Name name={name} />
                </th>
                <td>
                  <div class="bar">
                    <Code text={url} />
                    <CopyButton text={url} what={TEXT.domains.links.what(name)} />
                  </div>
                </td>
              </tr>
            ))}
          </Table>
        </>
      )}
      <Command
        operation="domains.createSetupLink"
        input={{ domain: example }}
        command={['domains', 'setup-link', example]}
      />
    </Dialog>
  );
}
