import { type ComponentChildren, Fragment } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Site } from '../../client/client.ts';
import { ActionButton } from './action-button.tsx';
import { Command } from './command.tsx';
import { mayDo, useDashboard } from './context.ts';
import { ActionDialog, type ActionProps } from './domain-dialog.tsx';
import { MoveDialog, RedirectDialog, SuspendDialog } from './domain-serving.tsx';
import { OwnDataDialog, SettingsDialog, UploadDialog } from './domain-settings.tsx';
import { TEXT } from './text.ts';
import { useToast } from './toast.tsx';

const DIALOGS = {
  redirect: RedirectDialog,
  move: MoveDialog,
  suspend: SuspendDialog,
  settings: SettingsDialog,
  ownData: OwnDataDialog,
  upload: UploadDialog,
  delete: DeleteDialog,
} as const;

type DialogName = keyof typeof DIALOGS;

/** All that can be done with a domain; what the person may not do says which permission that needs. */
export function Actions({ site, onChange }: { site: Site; onChange: () => void }) {
  const [open, setOpen] = useState<DialogName | null>(null);
  const Open = open === null ? null : DIALOGS[open];
  const { domain, redirect, suspension, certificate } = site;
  const { id, domain: name, status } = domain;
  const dialog = (which: DialogName, needs: string, label: string, kind: 'quiet' | 'danger' = 'quiet') => (
    // Keyed: a button that comes or goes must not give its neighbours, and the focus on them, another action.
    <Permitted key={which} needs={[needs]} label={label}>
      <button type="button" class={`button ${kind} small`} onClick={() => setOpen(which)}>
        {label}
      </button>
    </Permitted>
  );
  const input = { domain: id };
  const check = status === 'failed' ? TEXT.domain.actions.checkAgain : TEXT.domain.actions.check;
  const direct = (operation: string, needs: string, label: string, done: string, kind?: 'main') => (
    <Direct key={operation} {...{ operation, needs, label, done, input, onChange }} {...(kind && { kind })} />
  );
  return (
    <section class="domain-actions" aria-label={TEXT.domain.actions.title}>
      <div class="actions">
        {status !== 'verified' &&
          direct('domains.verifyDomain', 'verify_domain', check, TEXT.domain.actions.checked, 'main')}
        {dialog('redirect', 'update_domain', TEXT.domain.actions.redirect)}
        {redirect &&
          direct(
            'domains.removeRedirect',
            'update_domain',
            TEXT.domain.actions.removeRedirect,
            TEXT.domain.actions.redirectRemoved,
          )}
        {dialog('move', 'delete_domain', TEXT.domain.actions.move)}
        {suspension === undefined
          ? dialog('suspend', 'update_domain', TEXT.domain.actions.suspend)
          : direct('domains.resumeDomain', 'update_domain', TEXT.domain.actions.resume, TEXT.domain.actions.resumed)}
        {dialog('upload', 'update_domain', TEXT.domain.actions.upload)}
        {certificate.source === 'imported' &&
          direct(
            'domains.removeCertificate',
            'update_domain',
            TEXT.domain.actions.removeCertificate,
            TEXT.domain.actions.certificateRemoved,
          )}
        {dialog('settings', 'update_domain', TEXT.domain.actions.settings)}
        {dialog('ownData', 'update_domain', TEXT.domain.actions.ownData)}
        {dialog('delete', 'delete_domain', TEXT.domain.actions.delete, 'danger')}
      </div>
      {status !== 'verified' && (
        <Command operation="domains.verifyDomain" input={input} command={['domains', 'verify', name]} />
      )}
      {status === 'verified' && suspension && (
        <Command operation="domains.resumeDomain" input={input} command={['domains', 'resume', name]} />
      )}
      {redirect && (
        <Command operation="domains.removeRedirect" input={input} command={['domains', 'redirect', name, '--remove']} />
      )}
      {certificate.source === 'imported' && (
        <Command
          operation="domains.removeCertificate"
          input={input}
          command={['domains', 'certificate', name, '--remove']}
        />
      )}
      {Open && <Open site={site} onClose={() => setOpen(null)} onChange={onChange} />}
    </section>
  );
}

interface DirectProps {
  needs: string;
  label: string;
  operation: string;
  input: object;
  done: string;
  kind?: 'main' | 'quiet';
  onChange: () => void;
}

/** An action that asks nothing. */
function Direct({ needs, label, operation, input, done, kind = 'quiet', onChange }: DirectProps) {
  const { client } = useDashboard();
  const toast = useToast();
  const run = async () => {
    // The suspension of the operator stays when that of the workspace is lifted.
    const result = await client.call<{ suspension?: unknown } | undefined>(operation, input);
    toast({ text: result?.suspension === undefined ? done : `${done} ${TEXT.domain.actions.stillSuspended}` });
    onChange();
  };
  return (
    <Permitted needs={[needs]} label={label}>
      <ActionButton kind={kind} isSmall run={run}>
        {label}
      </ActionButton>
    </Permitted>
  );
}

/** In place of a button that the person may not use: the same, off, with the reason. */
function Permitted({ needs, label, children }: { needs: string[]; label: string; children: ComponentChildren }) {
  const { person } = useDashboard();
  const id = useId();
  const lacking = needs.filter((action) => !mayDo(person, 'environment', action));
  if (lacking.length === 0) return <Fragment>{children}</Fragment>;
  const reason = TEXT.domain.lacks(lacking.map((action) => `environment.*.${action}`));
  return (
    <span class="action" title={reason}>
      <button type="button" class="button quiet small" aria-disabled="true" aria-describedby={id}>
        {label}
      </button>
      <span id={id} class="sr">
        {reason}
      </span>
    </span>
  );
}

function DeleteDialog({ site, onClose, onChange }: ActionProps) {
  const { client } = useDashboard();
  const toast = useToast();
  const { id: domain, domain: name } = site.domain;
  const restore = async () => {
    await client.domains.restoreDomain({ domain });
    onChange();
  };
  return (
    <ActionDialog
      title={TEXT.domain.delete.title}
      text={TEXT.domain.delete.text}
      label={TEXT.domain.delete.do}
      kind="danger"
      operation="domains.deleteDomain"
      input={{ domain }}
      command={['domains', 'delete', name]}
      onClose={onClose}
      run={async () => {
        await client.domains.deleteDomain({ domain });
        toast({ text: TEXT.domain.delete.done(name), action: { label: TEXT.domain.delete.undo, run: restore } });
        onChange();
      }}
    >
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
    </ActionDialog>
  );
}
