import type { AuditTarget } from './entries.ts';

// What entries say of things of a kind.

export function ofWorkspace(id: string, detail: Record<string, unknown> = {}): AuditTarget {
  return { workspaceId: id, target: id, detail };
}

export function ofTree({ id, workspaceId, slug }: { id: string; workspaceId: string; slug: string }): AuditTarget {
  return { workspaceId, target: id, targetName: slug };
}

export function ofDomain({ id, workspaceId, name }: { id: string; workspaceId: string; name: string }): AuditTarget {
  return { workspaceId, target: id, targetName: name };
}
