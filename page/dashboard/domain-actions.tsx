import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Site } from '../../client/client.ts';
import { ActionButton } from './action-button.tsx';
import { Button } from './button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { Command, type ShownCall } from './command.tsx';
import { mayDo, useDashboard } from './context.ts';
import { type ActionProps, MoveDialog, RedirectDialog, SuspendDialog } from './domain-serving.tsx';
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
  const texts = TEXT.domain.actions;
  const dialog = (which: DialogName, needs = 'update_domain', kind: 'quiet' | 'danger' = 'quiet') => (
    // Keyed: a button that comes or goes must not give its neighbours, and the focus on them, another action.
    <Permitted key={which} needs={needs} label={texts[which]}>
      <Button kind={kind} isSmall onClick={() => setOpen(which)}>
        {texts[which]}
      </Button>
    </Permitted>
  );
  const call = (operation: string, ...command: string[]): ShownCall => ({ operation, input: { domain: id }, command });
  const verify = status !== 'verified' && call('domains.verifyDomain', 'domains', 'verify', name);
  const resume = suspension && call('domains.resumeDomain', 'domains', 'resume', name);
  const unredirect = redirect && call('domains.removeRedirect', 'domains', 'redirect', name, '--remove');
  const isOwn = certificate.source === 'imported';
  const unload = isOwn && call('domains.removeCertificate', 'domains', 'certificate', name, '--remove');
  const direct = (shown: ShownCall | false | undefined, label: string, done: string, needs = 'update_domain') =>
    shown && <Direct key={shown.operation} {...{ call: shown, needs, label, done, onChange }} />;
  return (
    <section class="domain-actions" aria-label={texts.title}>
      <div class="actions">
        {direct(verify, status === 'failed' ? texts.checkAgain : texts.check, texts.checked, 'verify_domain')}
        {dialog('redirect')}
        {direct(unredirect, texts.removeRedirect, texts.redirectRemoved)}
        {dialog('move', 'delete_domain')}
        {suspension === undefined && dialog('suspend')}
        {direct(resume, texts.resume, texts.resumed)}
        {dialog('upload')}
        {direct(unload, texts.removeCertificate, texts.certificateRemoved)}
        {dialog('settings')}
        {dialog('ownData')}
        {dialog('delete', 'delete_domain', 'danger')}
      </div>
      {[verify, resume, unredirect, unload].map((shown) => shown && <Command key={shown.operation} {...shown} />)}
      {Open && <Open site={site} onClose={() => setOpen(null)} onChange={onChange} />}
    </section>
  );
}

interface DirectProps {
  call: ShownCall;
  needs: string;
  label: string;
  done: string;
  onChange: () => void;
}

/** An action that asks nothing. */
function Direct({ call: { operation, input }, needs, label, done, onChange }: DirectProps) {
  const { client } = useDashboard();
  const toast = useToast();
  const run = async () => {
    // The suspension of the operator stays when that of the workspace is lifted.
    const result = await client.call<{ suspension?: unknown } | undefined>(operation, input);
    toast({ text: result?.suspension === undefined ? done : `${done} ${TEXT.domain.actions.stillSuspended}` });
    onChange();
  };
  return (
    <Permitted needs={needs} label={label}>
      <ActionButton kind={needs === 'verify_domain' ? 'main' : 'quiet'} isSmall run={run}>
        {label}
      </ActionButton>
    </Permitted>
  );
}

/** In place of a button that the person may not use: the same, off, with the reason. */
function Permitted({ needs, label, children }: { needs: string; label: string; children: ComponentChildren }) {
  const { person } = useDashboard();
  const id = useId();
  if (mayDo(person, 'environment', needs)) return <>{children}</>;
  const reason = TEXT.domain.lacks(`environment.*.${needs}`);
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
    <CallDialog
      title={TEXT.domain.delete.title}
      text={TEXT.domain.delete.text}
      label={TEXT.domain.delete.do}
      kind="danger"
      call={{ operation: 'domains.deleteDomain', input: { domain }, command: ['domains', 'delete', name] }}
      onClose={onClose}
      onDone={() => {
        toast({ text: TEXT.domain.delete.done(name), action: { label: TEXT.domain.delete.undo, run: restore } });
        onChange();
      }}
    >
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
    </CallDialog>
  );
}
