import { useState } from 'preact/hooks';
import type { Site } from '../../client/client.ts';
import { CallDialog } from './call-dialog.tsx';
import { environmentOptions, useChoices } from './environments.ts';
import { SelectField, TextField } from './fields.tsx';
import { TEXT } from './text.ts';

export interface ActionProps {
  site: Site;
  onClose: () => void;
  onChange: () => void;
}

export function RedirectDialog({ site, onClose, onChange }: ActionProps) {
  const { id: domain, domain: name } = site.domain;
  const [to, setTo] = useState(site.redirect?.to ?? '');
  const [status, setStatus] = useState(site.redirect?.status ?? 308);
  return (
    <CallDialog
      title={TEXT.domain.redirect.title}
      text={TEXT.domain.redirect.text}
      label={TEXT.domain.redirect.do}
      call={{
        operation: 'domains.setRedirect',
        input: { domain, to, status },
        command: ['domains', 'redirect', name, '--to', to, '--status', String(status)],
      }}
      done={() => TEXT.domain.redirect.done(to)}
      onDone={onChange}
      onClose={onClose}
    >
      <TextField
        label={TEXT.domain.redirect.to}
        hint={TEXT.domain.redirect.hint}
        required
        value={to}
        onChange={(typed) => setTo(typed.trim())}
      />
      <SelectField
        label={TEXT.domain.redirect.status}
        options={Object.entries(TEXT.domain.redirect.statuses)}
        value={status}
        onChange={(value) => setStatus(Number(value))}
      />
    </CallDialog>
  );
}

export function SuspendDialog({ site, onClose, onChange }: ActionProps) {
  const { id: domain, domain: name } = site.domain;
  const [status, setStatus] = useState(503);
  return (
    <CallDialog
      title={TEXT.domain.suspend.title}
      text={TEXT.domain.suspend.text}
      label={TEXT.domain.suspend.do}
      kind="danger"
      call={{
        operation: 'domains.suspendDomain',
        input: { domain, status },
        command: ['domains', 'suspend', name, '--status', String(status)],
      }}
      done={() => TEXT.domain.suspend.done}
      onDone={onChange}
      onClose={onClose}
    >
      <SelectField
        label={TEXT.domain.suspend.status}
        options={Object.entries(TEXT.domain.suspend.statuses)}
        value={status}
        onChange={(value) => setStatus(Number(value))}
      />
    </CallDialog>
  );
}

export function MoveDialog({ site, onClose, onChange }: ActionProps) {
  const { id: domain, domain: name } = site.domain;
  const [environment, setEnvironment] = useState('');
  const tree = useChoices();
  const field = { label: TEXT.domain.move.environment, required: true, value: environment };
  return (
    <CallDialog
      title={TEXT.domain.move.title}
      text={TEXT.domain.move.text}
      label={TEXT.domain.move.do}
      call={{
        operation: 'domains.moveDomain',
        input: { domain, environment },
        command: ['domains', 'move', name, '--environment', environment],
      }}
      done={() => TEXT.domain.move.done(environment)}
      onDone={onChange}
      onClose={onClose}
    >
      {tree.error === undefined && tree.data?.length !== 0 ? (
        <SelectField
          {...field}
          options={[['', tree.data ? TEXT.domain.move.choose : TEXT.loading], ...environmentOptions(tree.data)]}
          onChange={setEnvironment}
        />
      ) : (
        <TextField {...field} hint={TEXT.domain.move.hint} onChange={(typed) => setEnvironment(typed.trim())} />
      )}
    </CallDialog>
  );
}
