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
  /** 1: the edge sends it the external ids of domains. */
  sendsExternalId: number;
  createdAt: number;
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
}

/** Each of `project`, `app`, `environment` is an id or a slug; slugs never look like ids (ids have an underscore). */
export interface TreeStore extends TreeChanges {
  findProject(workspaceId: string, project: string): Promise<Project | null>;
  listProjects(workspaceId: string, page: PageRequest): Promise<Paged<Project>>;
  findApp(workspaceId: string, path: { project: string; app: string }): Promise<App | null>;
  listApps(workspaceId: string, projectId: string, page: PageRequest): Promise<Paged<App>>;
  findEnvironment(
    workspaceId: string,
    path: { project: string; app: string; environment: string },
  ): Promise<Environment | null>;
  listEnvironments(workspaceId: string, appId: string, page: PageRequest): Promise<Paged<Environment>>;
  listDeployments(workspaceId: string, environmentId: string, page: PageRequest): Promise<Paged<Deployment>>;
}
