export interface Project {
  /** `proj_…` */
  id: string;
  workspaceId: string;
  /** Unique in the workspace. */
  slug: string;
  name: string | null;
  createdAt: number;
}

export interface App {
  /** `app_…` */
  id: string;
  workspaceId: string;
  projectId: string;
  /** Unique in the project. */
  slug: string;
  name: string | null;
  createdAt: number;
}

export interface Environment {
  /** `env_…` */
  id: string;
  workspaceId: string;
  projectId: string;
  appId: string;
  /** Unique in the app. */
  slug: string;
  name: string | null;
  /** The deployment that gets the traffic; null before the first. */
  currentDeploymentId: string | null;
  createdAt: number;
}

export interface Deployment {
  /** `dep_…` */
  id: string;
  workspaceId: string;
  environmentId: string;
  /** `http://host[:port]` or `https://host[:port]`. */
  origin: string;
  createdAt: number;
}

/** How the edge asks the origins of an environment, without secrets. */
export interface ShownOriginSettings {
  environmentId: string;
  /** `visitor`, `origin`, or a name. */
  hostHeader: string;
  /** PEM; null: public CAs. */
  caCertificate: string | null;
  /** PEM; null: none is shown. */
  clientCertificate: string | null;
  /** Null: no secret is sent. */
  secretCreatedAt: number | null;
  /** Until when the secret before is sent too; null: there is none. */
  previousExpiresAt: number | null;
  /** Whether origins get the external ids of domains. */
  sendExternalId: boolean;
}

/** Null removes; what is absent stays. */
export interface OriginSettingsChange {
  hostHeader?: string | null | undefined;
  caCertificate?: string | null | undefined;
  clientCertificate?: { chain: string; privateKey: Uint8Array } | null | undefined;
  sendExternalId?: boolean | null | undefined;
  secret?: null | undefined;
}

export interface PageRequest {
  /** 1 to 100. */
  limit: number;
  /** Id at which the page starts, or a lower bound where that id does not exist. Absent: the first page. */
  cursor?: string | undefined;
}

/** Items in order of creation. `next` is the id at which the next page starts; absent on the last page. */
export interface Paged<T> {
  items: T[];
  next?: string;
}

export interface TreeChanges {
  /** `slug_taken` when the workspace has a project of that slug. */
  createProject(project: Project): Promise<'created' | 'slug_taken'>;
  /** `not_empty` while it has apps. */
  deleteProject(workspaceId: string, projectId: string): Promise<'deleted' | 'not_empty' | 'missing'>;

  /** `parent_missing` when the project was deleted meanwhile. */
  createApp(app: App): Promise<'created' | 'slug_taken' | 'parent_missing'>;
  /** `not_empty` while it has environments. */
  deleteApp(workspaceId: string, appId: string): Promise<'deleted' | 'not_empty' | 'missing'>;

  createEnvironment(environment: Environment): Promise<'created' | 'slug_taken' | 'parent_missing'>;
  /** `not_empty` while it has domains; its deployments go with it. */
  deleteEnvironment(workspaceId: string, environmentId: string): Promise<'deleted' | 'not_empty' | 'missing'>;

  /** The new deployment becomes the environment's current one. Logs the change `environment`. */
  createDeployment(deployment: Deployment): Promise<'created' | 'parent_missing'>;

  /** Logs the change `environment`. Null: the workspace has no such environment. */
  updateOriginSettings(
    workspaceId: string,
    environmentId: string,
    change: OriginSettingsChange,
  ): Promise<ShownOriginSettings | null>;
  /**
   * Replaces the secret of an environment; the one before is sent too until `previousExpiresAt`, and the one before that no more. Logs the
   * change `environment`.
   */
  rotateOriginSecret(
    workspaceId: string,
    environmentId: string,
    secret: { text: Uint8Array; createdAt: number },
    previousExpiresAt: number,
  ): Promise<'rotated' | 'missing'>;
}

/** Names an app. Without `project`, it has to be an id. */
export interface AppPath {
  project?: string | undefined;
  app: string;
}

/** Names an environment. Without `app`, it has to be an id; without `project`, the app or the environment has. */
export interface EnvironmentPath {
  project?: string | undefined;
  app?: string | undefined;
  environment: string;
}

/** Each of `project`, `app`, `environment` is an id or a slug. Parents that are given have to be those of what is found. */
export interface TreeStore extends TreeChanges {
  findProject(workspaceId: string, project: string): Promise<Project | null>;
  listProjects(workspaceId: string, page: PageRequest): Promise<Paged<Project>>;
  findApp(workspaceId: string, path: AppPath): Promise<App | null>;
  listApps(workspaceId: string, projectId: string, page: PageRequest): Promise<Paged<App>>;
  findEnvironment(workspaceId: string, path: EnvironmentPath): Promise<Environment | null>;
  listEnvironments(workspaceId: string, appId: string, page: PageRequest): Promise<Paged<Environment>>;
  /** Null: the environment has set nothing. */
  findOriginSettings(environmentId: string): Promise<ShownOriginSettings | null>;
  listDeployments(workspaceId: string, environmentId: string, page: PageRequest): Promise<Paged<Deployment>>;
}
