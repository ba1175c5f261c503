import { useState } from 'preact/hooks';
import type { NameplateClient } from '../../client/client.ts';
import { useDashboard } from './context.ts';
import { ActionDialog, type ActionProps } from './domain-dialog.tsx';
import { useLoad } from './load.ts';
import { Field } from './parts.tsx';
import { TEXT } from './text.ts';

export function RedirectDialog({ site, onClose, onChange }: ActionProps) {
  const { client } = useDashboard();
  const { id: domain, domain: name } = site.domain;
  const [to, setTo] = useState(site.redirect?.to ?? '');
  const [status, setStatus] = useState<301 | 308>(site.redirect?.status === 301 ? 301 : 308);
  const input = { domain, to: to.trim(), status };
  return (
    <ActionDialog
      title={TEXT.domain.redirect.title}
      text={TEXT.domain.redirect.text}
      label={TEXT.domain.redirect.do}
      operation="domains.setRedirect"
      input={input}
      command={['domains', 'redirect', name, '--to', input.to, '--status', String(status)]}
      isDisabled={input.to === ''}
      onClose={onClose}
      run={async () => {
        await client.domains.setRedirect(input);
        onChange();
        return TEXT.domain.redirect.done(input.to);
      }}
    >
      <Field label={TEXT.domain.redirect.to} hint={TEXT.domain.redirect.hint}>
        {(control) => <input {...control} value={to} onInput={({ currentTarget }) => setTo(currentTarget.value)} />}
      </Field>
      <Choice
        label={TEXT.domain.redirect.status}
        texts={TEXT.domain.redirect.statuses}
        value={status}
        onChange={setStatus}
      />
    </ActionDialog>
  );
}

export function SuspendDialog({ site, onClose, onChange }: ActionProps) {
  const { client } = useDashboard();
  const { id: domain, domain: name } = site.domain;
  const [status, setStatus] = useState<451 | 503>(503);
  const input = { domain, status };
  return (
    <ActionDialog
      title={TEXT.domain.suspend.title}
      text={TEXT.domain.suspend.text}
      label={TEXT.domain.suspend.do}
      kind="danger"
      operation="domains.suspendDomain"
      input={input}
      command={['domains', 'suspend', name, '--status', String(status)]}
      onClose={onClose}
      run={async () => {
        await client.domains.suspendDomain(input);
        onChange();
        return TEXT.domain.suspend.done;
      }}
    >
      <Choice
        label={TEXT.domain.suspend.status}
        texts={TEXT.domain.suspend.statuses}
        value={status}
        onChange={setStatus}
      />
    </ActionDialog>
  );
}

interface ChoiceProps<Status extends number> {
  label: string;
  texts: Record<Status, string>;
  value: Status;
  onChange: (status: Status) => void;
}

function Choice<Status extends number>({ label, texts, value, onChange }: ChoiceProps<Status>) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={({ currentTarget }) => onChange(Number(currentTarget.value) as Status)}
        >
          {(Object.entries(texts) as [string, string][]).map(([status, text]) => (
            <option key={status} value={status}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function MoveDialog({ site, onClose, onChange }: ActionProps) {
  const { client } = useDashboard();
  const { id: domain, domain: name } = site.domain;
  const [environment, setEnvironment] = useState('');
  const known = useLoad('environments', (signal) => listEnvironments(client, signal));
  const input = { domain, environment: environment.trim() };
  return (
    <ActionDialog
      title={TEXT.domain.move.title}
      text={TEXT.domain.move.text}
      label={TEXT.domain.move.do}
      operation="domains.moveDomain"
      input={input}
      command={['domains', 'move', name, '--environment', input.environment]}
      isDisabled={input.environment === ''}
      onClose={onClose}
      run={async () => {
        await client.domains.moveDomain(input);
        onChange();
        return TEXT.domain.move.done(input.environment);
      }}
    >
      {known.error === undefined && known.data?.length !== 0 ? (
        <Field label={TEXT.domain.move.environment}>
          {(control) => (
            <select
              {...control}
              value={environment}
              onChange={({ currentTarget }) => setEnvironment(currentTarget.value)}
            >
              <option value="">{known.data === undefined ? TEXT.loading : TEXT.domain.move.choose}</option>
              {known.data?.map(({ id, path }) => (
                <option key={id} value={id}>
                  {path}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : (
        <Field label={TEXT.domain.move.environment} hint={TEXT.domain.move.hint}>
          {(control) => (
            <input
              {...control}
              value={environment}
              onInput={({ currentTarget }) => setEnvironment(currentTarget.value)}
            />
          )}
        </Field>
      )}
    </ActionDialog>
  );
}

/** The environments that the person sees, the first hundred of each parent. */
async function listEnvironments(client: NameplateClient, signal: AbortSignal): Promise<{ id: string; path: string }[]> {
  const found: { id: string; path: string }[] = [];
  const projects = await client.projects.listProjects({}, { signal });
  for (const project of projects.items) {
    const apps = await client.apps.listApps({ project: project.id }, { signal });
    for (const app of apps.items) {
      const { items } = await client.environments.listEnvironments({ app: app.id }, { signal });
      found.push(...items.map(({ id, slug }) => ({ id, path: `${project.slug} / ${app.slug} / ${slug}` })));
    }
  }
  return found;
}
