// Generated from the OpenAPI document by "npm run generate".
import type { CallOptions, CreationOptions, Page } from './call-types.ts';

/** Every operation but `domains.watchDomain`, which is a stream. */
export interface ApiCalls {
  domains: {
    /** Attach a domain to an environment. Stores the domain and returns the DNS records that it needs. Nameplate starts to check the records at once, and repeats the check about once a minute for at most 24 hours. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. Also `environment.*.replace_domain` on the environment of a domain that `replaceUnverified` replaces. Also `environment.*.use_shared_target` on the environment, if the request has a `target`. */
    createDomain(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Fully qualified name, in Unicode or Punycode, without scheme, port, path or final dot. Or a wildcard such as `*.shop.example.com`, which stands for every name one label below `shop.example.com`. */
      domain: string;
      /** A shared target of the workspace (targets.listTargets). It is the value of the routing record, in place of the domain's own target. Use it for names that your platform already serves. The key needs `use_shared_target` on the environment, because a name that already leads there is verified at once. */
      target?: string | undefined;
      /** If true, the new domain replaces a domain of the workspace that has the same name and was never verified. That domain is deleted, and its timeline gets a `domain.deleted` event with the reason `replaced`. domains.restoreDomain can restore it later. The name is refused as a conflict (409) in three cases. The key lacks `replace_domain` on the environment of the other domain. Or the other domain is verified, or its kept events show that it once was. Or its ownership record was found, and its verification window is still open. */
      replaceUnverified?: boolean | undefined;
      /** Your own id for the domain, without control characters. Several domains may have the same id. */
      externalId?: string | undefined;
      /** Your own data. At most 50 pairs of texts without control characters, and 4096 bytes as JSON. */
      metadata?: Record<string, string> | undefined;
      /** If true, the counterpart is attached too: `www.example.com` for `example.com`, or `example.com` for `www.example.com`. No other name has a counterpart. The counterpart redirects (308) to `domain` as soon as both are verified. Either both are attached or neither. Both count against the limits, and both get the `externalId` and `metadata`. */
      withWww?: boolean | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new domain. Begins with `dom_`. */
      domainId: string;
      /** The DNS records that the domain needs. Their values never change. */
      dnsRecords: Array<DnsRecord>;
      counterpart?: Counterpart;
    }>;
    /** Attach up to 100 domains to an environment. Returns one outcome for each name, in the order of the request: the new domain, as domains.createDomain returns it, or the `error` of that operation. The names without an `error` are stored in one transaction: all of them or none. You can repeat the request. A name that the environment already has is a conflict (409) with the `domainId` of its domain. A name in another environment of the workspace is a conflict without a `domainId`. If a name occurs twice in the request, the second is a conflict, too. Each name counts against the rate limit of domains.createDomain, and each `certificate` against that of domains.uploadCertificate. Names beyond a limit are refused with 429. If the limit allows none of them, the whole request is refused. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. Also `environment.*.replace_domain` on the environment of a domain that `replaceUnverified` replaces. Also `environment.*.use_shared_target` on the environment, if the request has a `target`. Also `environment.*.update_domain` on the environment, if the request has a `certificate`. */
    createDomains(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Fully qualified names, in Unicode or Punycode, without scheme, port, path or final dot. Or objects with such a name and the properties below. */
      domains: Array<string | {
        /** The name, as above. */
        domain: string;
        /** A shared target of the workspace (targets.listTargets). It is the value of the routing record, in place of the domain's own target. Use it for names that your platform already serves. The key needs `use_shared_target` on the environment, because a name that already leads there is verified at once. */
        target?: string | undefined;
        certificate?: BroughtCertificate | undefined;
        /** Your own id for the domain, without control characters. Several domains may have the same id. */
        externalId?: string | undefined;
        /** Your own data. At most 50 pairs of texts without control characters, and 4096 bytes as JSON. */
        metadata?: Record<string, string> | undefined;
      }>;
      /** If true, the new domain replaces a domain of the workspace that has the same name and was never verified. That domain is deleted, and its timeline gets a `domain.deleted` event with the reason `replaced`. domains.restoreDomain can restore it later. The name is refused as a conflict (409) in three cases. The key lacks `replace_domain` on the environment of the other domain. Or the other domain is verified, or its kept events show that it once was. Or its ownership record was found, and its verification window is still open. */
      replaceUnverified?: boolean | undefined;
      /** If true, nothing is stored. The outcome of a name that can be attached has neither `domainId` nor `error`. The workspace's limit of domains is not checked. */
      dryRun?: boolean | undefined;
    }, options?: CreationOptions): Promise<Array<DomainOutcome>>;
    /** Get a domain. Retrieves a domain and its verification status. To follow the verification, poll this operation. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up link may call it for its domain. */
    getDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Domain>;
    /** Get a domain with everything that serves it. Returns the domain as domains.getDomain does, together with all that concerns its site. That is: whether visitors reach it, a summary of its certificate, its redirect, suspension, origin and settings, and your own data (`externalId` and `metadata`). The operation domains.listWorkspaceDomains returns the same for many domains. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a support link may call it for its domain. */
    getSite(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Site>;
    /** List the domains of an environment. Returns the domains in order of creation, one page at a time. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    listDomains(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
      /** Only domains whose id or name contains this text; upper and lower case are the same. */
      search?: string | undefined;
    }, options?: CallOptions): Promise<Page<Domain>>;
    /** List the domains of all environments. Returns the domains of the workspace in order of their names, one page at a time, each as domains.getSite returns it. A key with the permission on single environments gets only the domains of these. For such a key, and with `within`, `externalId` or `metadata`, the order differs: one environment after the other, each in order of creation. You can combine filters. A page may have fewer items than `limit`, or none, although more follow, so continue until `hasMore` is false. This happens with several filters, with `live`, `ready`, `search` or a time of creation, and for a key with single environments. The response time does not depend on the number of domains. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    listWorkspaceDomains(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
      /** Only domains with this status. */
      status?: 'pending' | 'verifying' | 'verified' | 'failed' | undefined;
      /** Only domains whose certificate is in this state. */
      certificate?: 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed' | undefined;
      /** Only domains whose `live.state` is this one. */
      live?: 'live' | 'partly_live' | 'unreachable' | undefined;
      /** Only domains that have exactly this external id. */
      externalId?: string | undefined;
      /** Only domains whose metadata has each of these pairs, at most 5. */
      metadata?: Record<string, string> | undefined;
      /** Only domains created at this time or later. Unix time in milliseconds. */
      createdAfter?: number | undefined;
      /** Only domains created before this time. Unix time in milliseconds. */
      createdBefore?: number | undefined;
      /** Only domains whose id or name contains this text; upper and lower case are the same. */
      search?: string | undefined;
      /** True: only domains without a `blocker`. False: only domains with one. */
      ready?: boolean | undefined;
      /** Only domains of this environment. */
      within?: {
        /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
        project?: string | undefined;
        /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
        app?: string | undefined;
        /** Id or slug of the environment. */
        environment: string;
      } | undefined;
    }, options?: CallOptions): Promise<Page<Site>>;
    /** Count the domains of the workspace. Counts the domains of all environments, by status and by state of the certificate. If the workspace has more than 10,000 domains, each process counts them at most once a minute: see `countedAt`. Permission: `environment.*.read_domain`. */
    countDomains(input: Record<string, never>, options?: CallOptions): Promise<DomainCounts>;
    /** Count the names of a move that are ready to switch. Counts the domains that are ready to switch, and those that have a `blocker`, by its reason. Names that `nameplate move from` added have the metadata `moved_from`: `cloudflare`, `vercel`, `caddy` or `csv`. If the workspace has more than 10,000 domains, each process counts them at most once a minute: see `countedAt`. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    countSites(input: {
      /** Only domains of this environment. */
      within?: {
        /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
        project?: string | undefined;
        /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
        app?: string | undefined;
        /** Id or slug of the environment. */
        environment: string;
      } | undefined;
      /** Only domains whose metadata has this pair. */
      metadata?: Record<string, string> | undefined;
    }, options?: CallOptions): Promise<SiteCounts>;
    /** Change your own data and the settings of a domain. Changes the values in the request and leaves the others as they are; null removes a value. The domain keeps its values when it is moved, and when it is deleted and restored. Returns all current values. The settings take effect within a second on every node, while the domain is verified. For `settings.origin` the key also needs `create_deployment` for the environment. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. Also `environment.*.create_deployment` on the environment of the domain, to set or remove `settings.origin`. */
    updateDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Your own id for the domain; null removes it. */
      externalId?: string | null | undefined;
      /** Pairs to add or replace. The value null removes a pair, and null instead of the object removes all pairs. Other pairs stay. At most 50 pairs of texts without control characters, and 4096 bytes as JSON. */
      metadata?: Record<string, string | null> | null | undefined;
      /** Settings of this domain alone. An absent setting stays as it is; null removes it. */
      settings?: {
        /** Where the traffic of this domain goes, in place of its environment's deployment. It is an http or https URL that consists of scheme, host and port only. To set or remove it, the key also needs `create_deployment` for the environment. */
        origin?: string | null | undefined;
        /** `Strict-Transport-Security` (RFC 6797) in all HTTPS responses of this domain, in place of the origin's own header. A new value replaces the whole policy. */
        hsts?: {
          /** For how many seconds browsers use only HTTPS; 0 ends a policy that they have stored. */
          maxAge: number;
          /** Whether the policy covers every name below this one, including names that are served elsewhere: browsers no longer use HTTP for any of them. For an apex domain, let your customer decide. */
          includeSubDomains?: boolean | undefined;
          /** Whether browsers may build in the name (HSTS preloading), which takes months to undo. Needs `includeSubDomains` and a `maxAge` of at least 31536000. */
          preload?: boolean | undefined;
        } | null | undefined;
        /** The lowest TLS version that visitors may use; handshakes with a lower version are refused. */
        minTlsVersion?: '1.2' | '1.3' | null | undefined;
        /** False: HTTP requests go to the origin instead of being redirected to HTTPS. */
        redirectToHttps?: boolean | null | undefined;
      } | undefined;
    }, options?: CallOptions): Promise<UpdatedDomain>;
    /** Check a domain now. Starts a check of the DNS records. Poll domains.getDomain for the result. A failed domain gets a new verification window of 24 hours, and keeps its status until the check completes. For a verified domain, the operation is refused (412); use domains.diagnoseDomain. Permission: `environment.*.verify_domain` or `environment.<environment_id>.verify_domain`. A session of a set-up link may call it for its domain. */
    verifyDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<void>;
    /** Delete a domain. Deletes the domain with its route and certificate, and ends its checks. For seven days, unless the operator sets another time (`NAMEPLATE_DELETED_KEEP`), domains.restoreDomain can restore it. The name is free at once: domains.createDomain creates a new domain with other records. Permission: `environment.*.delete_domain` or `environment.<environment_id>.delete_domain`. */
    deleteDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<void>;
    /** Restore a deleted domain. Undoes domains.deleteDomain while deleted domains are kept: seven days unless the operator sets another time (`NAMEPLATE_DELETED_KEEP`). The domain gets back its id, `createdAt` and DNS records. If it was verified, it is verified and served at once. It has its certificate, unless that has expired, and its redirect, if that is still possible. If it was not verified, it gets a new verification window. A check runs at once. Redirects of other domains to it, and its set-up links, stay removed. With a name, the operation restores the domain of that name that was deleted last. It is refused if another workspace is verified for the name, or has been since the deletion. In that case, create a new domain with domains.createDomain: its records prove who owns the name. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. */
    restoreDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Domain>;
    /** Move a domain to another environment. Moves the domain to another environment of the workspace, in any project and app. It keeps its id, DNS records, status, certificate and redirects. Within a second, every node sends new requests to the origin of the new environment. No request is dropped: requests in flight finish at the old origin. The key needs `delete_domain` for the environment that the domain leaves, and `create_domain` for the one that it enters. If the domain has its own origin, the key also needs `create_deployment` there. A move to the environment that the domain is already in changes nothing. Permission: `environment.*.delete_domain` or `environment.<environment_id>.delete_domain`. Also `environment.*.create_domain` on the environment that the domain is moved to. Also `environment.*.create_deployment` on the environment that the domain is moved to, if the domain has its own origin. */
    moveDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
    }, options?: CallOptions): Promise<Domain>;
    /** Serve a page in place of a site. Within a second, on every node, visitors get a page that says that the site is suspended, with status 503 or 451. The origin gets no requests, and requests in flight are aborted. A redirect of the domain stops too. The domain keeps its status, and its checks and certificate renewals continue. domains.getSite, domains.diagnoseDomain and domains.listWorkspaceDomains show the suspension; domains.getDomain does not. If the domain is not verified yet, the suspension takes effect once it is. A call with another status changes the status of the page. domains.resumeDomain ends the suspension. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    suspendDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** HTTP status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other reason. Default: 503. */
      status?: 451 | 503 | undefined;
    }, options?: CallOptions): Promise<DomainSuspension>;
    /** Serve a suspended site again. Ends a suspension by the workspace: within a second, on every node, visitors get the site again. A suspension by the operator stays. If the site has both, this call ends that of the workspace, and the response shows that of the operator (`suspension` with `by: operator`). If only the operator has suspended the site, the call is refused. If nobody has, the call changes nothing. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    resumeDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<DomainSuspension>;
    /** Find out what is wrong with the DNS of a domain. Queries the nameservers now. The response shows what each of them answered, what is wrong and how to fix it. The operation changes neither the status of the domain nor the schedule of its checks. For a verified domain, it also triggers a look at the site from outside within half a minute (`live` in domains.getSite). A certificate that is `waiting_for_routing` and has no `failures` is attempted within 10 s. A request takes at most 10 s, usually less than 1 s. Requests for one domain within 5 s share a result. A workspace can have 10 of these requests in flight. With `cached`, the response comes from the last background check. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up or support link may call it for its domain. */
    diagnoseDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** If true, respond with the result of the last background check, without DNS queries. Default: false. */
      cached?: boolean | undefined;
    }, options?: CallOptions): Promise<Diagnosis>;
    /** List what happened to a domain. Returns the timeline of a domain, newest first, one page at a time. It has actions and who did them, records that appeared or disappeared, and changes of the status and the certificate. A check that changes nothing adds no event. Events are kept for 90 days unless the operator sets another time. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a support link may call it for its domain. */
    listEvents(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<DomainEvent>>;
    /** Check a name before you attach it. Returns whether a name can be attached to the environment, where its DNS is edited, and which records are in the way. It changes nothing. It queries DNS as domains.diagnoseDomain does, with the same limits. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. */
    checkName(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** The name, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<NameCheck>;
    /** Get the certificate of a domain. Returns the state of the certificate: whether the domain is served over HTTPS and, if not, why and what to do. The state is `none` until a certificate is needed, so you can poll from the creation of the domain. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up or support link may call it for its domain. */
    getCertificate(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Certificate>;
    /** Serve a domain with its owner's certificate. Checks the certificate and its key, and serves the domain with it within a second, on every node. If anything is wrong, nothing changes, and each error says what to do. Uploading the same certificate again changes nothing. Without `managed`, the domain must be verified, or prepared by its ownership and challenge records, and the certificate is never renewed. Nameplate keeps the managed certificate that it replaces as the fallback. If you remove the uploaded certificate, a managed one takes its place. The same happens when a third of the time from the upload to the expiry is left (30 days at most). Earlier, when half of that time is left (45 days at most), the event `certificate.expiring` is sent: the owner can then provide another certificate. With `managed`, Nameplate renews the certificate like its own. You can upload such a certificate before the domain is verified, unless its status is `failed`. It is stored, and put in use once the domain is verified or prepared, unless it has expired. It does not verify the domain. If the domain is deleted or fails before that, the certificate is deleted. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    uploadCertificate(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** PEM: the certificate of the name and its intermediate certificates, in any order. A root certificate among them is ignored. */
      certificates: string;
      /** The private key of the certificate as PEM, not encrypted: RSA of 2048 to 4096 bits, P-256 or P-384. It is stored encrypted and never shown. */
      privateKey: string;
      /** True for a certificate from the server that you move from. Nameplate serves it, and orders another one only when its renewal is due. */
      managed?: boolean | undefined;
    }, options?: CallOptions): Promise<Certificate>;
    /** Remove the certificate that a domain's owner provided. Serves the domain with its managed certificate again, within a second on every node, and deletes the private key of the uploaded certificate. If no managed certificate is kept, or it expires soon, one is ordered at once, and the uploaded one is served until it is issued. A certificate that was uploaded with `managed` is replaced in the same way. If such a certificate is not in use yet, it is deleted, and none is ordered. Without an uploaded certificate, nothing changes. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    removeCertificate(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Certificate>;
    /** Redirect a domain to another one. Redirects every request for the domain to another verified domain of the workspace, such as `www.example.com` to `example.com` or the reverse. It takes effect within a second on every node, while the domain is verified. HTTP and HTTPS requests are redirected in one hop, with path and query. The domain still needs its DNS records and keeps its certificate. The destination must not have a redirect of its own, and the domain must not be the destination of another redirect. A new redirect replaces the previous one. When the destination is deleted, fails or is taken over, the redirect is removed. Requests then go to the origin of the domain again, and the timeline gets a `redirect.removed` event. The key needs the permission for the environments of both domains. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. Also `environment.*.update_domain` on the environment of the domain that `to` names. */
    setRedirect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Id (`dom_…`) or fully qualified name of the domain to redirect to. */
      to: string;
      /** HTTP status of the redirect. With 308, clients repeat the request with its method and body; after 301, browsers send GET in place of POST. Default: 308. */
      status?: 301 | 308 | undefined;
    }, options?: CallOptions): Promise<DomainRedirect>;
    /** Get the redirect of a domain. Returns where the domain redirects to. If it does not redirect, `redirect` is absent. For the redirects of many domains, use domains.listWorkspaceDomains. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    getRedirect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<DomainRedirect>;
    /** Remove the redirect of a domain. Within a second, requests for the domain go to its origin again. If it has no redirect, nothing changes. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    removeRedirect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<void>;
    /** Create a set-up link. Creates a link for the customer who owns the domain. It opens a page that shows the DNS records, reports mistakes in them, and follows the verification. Anyone with the link can see this domain and start checks of it without signing in, and nothing else. The link is shown only once. Its token is in the fragment of the URL, which browsers send to no server. With the token, the component `<nameplate-domain>` shows the same on a page of yours. With the `purpose` `support`, the link is for a helper without an account. It opens a read-only page of the domain in the dashboard, with its records, certificate, timeline and usage. The page shows neither your own data nor who did what. To create such a link, the key also needs `read_domain` and `read_usage`: a support link shows no more than its creator can read. Permission: `environment.*.create_setup_link` or `environment.<environment_id>.create_setup_link`. Also `environment.*.read_domain` on the environment of the domain, if the link is a support link. Also `environment.*.read_usage` on the environment of the domain, if the link is a support link. */
    createSetupLink(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** `setup` or `support`. Default: `setup`. */
      purpose?: 'setup' | 'support' | undefined;
      /** How long the link works: one minute to 30 days. Default: 7 days, or one day for a support link. */
      expiresInSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new link. Begins with `link_`. */
      linkId: string;
      /** The link to give to the customer or the helper. */
      url: string;
      /** The token for the component on a page of yours. Begins with `nps_`. */
      token: string;
      /** When the link stops working. Unix time in milliseconds. */
      expiresAt: number;
    }>;
    /** List the set-up links of a domain. Returns the links in order of creation, one page at a time, without their tokens. Expired links stay in the list for 30 days. Permission: `environment.*.create_setup_link` or `environment.<environment_id>.create_setup_link`. */
    listSetupLinks(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<SetupLink>>;
    /** Revoke a set-up link. The link and its open pages stop working within a second. Revoking it again changes nothing. Permission: `environment.*.create_setup_link` or `environment.<environment_id>.create_setup_link`. */
    revokeSetupLink(input: {
      /** Id of the set-up link (`link_…`). */
      linkId: string;
    }, options?: CallOptions): Promise<void>;
  };
  setup: {
    /** Set the brand of the workspace. Replaces the brand, the list of origins, or both; an absent property stays as it is. Pages of the edge show the new brand within a second, and open set-up pages within two minutes. Requests from an origin that you remove are refused within a second; its open streams end within two minutes. Permission: `setup.*.set_brand`. */
    setBrand(input: {
      brand?: NewBrand | undefined;
      /** Origins of your pages that may show the set-up component, such as `https://app.example.net`: https, or http on loopback. */
      origins?: Array<string> | undefined;
    }, options?: CallOptions): Promise<SetupPage>;
    /** Get the brand of the workspace. Returns how the workspace appears on its set-up pages, and the origins of your pages that may show the set-up component. Permission: `setup.*.read_brand`. */
    getBrand(input: Record<string, never>, options?: CallOptions): Promise<SetupPage>;
    /** Find out whether the DNS provider can publish the records. Asks the DNS provider of the domain whether it has the template of this installation (Domain Connect). If it has, `offer` contains a signed link to the page on which the customer agrees to publish the records. If `offer` is absent, the customer publishes the records by hand. Answers of providers are cached for ten minutes, and refusals for one minute. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up link may call it for its domain. */
    getDomainConnect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** If true, the provider sends the browser back to the set-up page. If false, the provider closes its window, so open the link in a new tab. Default: false. */
      return?: boolean | undefined;
    }, options?: CallOptions): Promise<DomainConnect>;
    /** Open a session of a set-up link. Exchanges the token of a set-up link for a session token, which is valid for two minutes and only for the domain of the link. The token of a set-up link allows `domains.getDomain`, `domains.watchDomain`, `domains.diagnoseDomain`, `domains.getCertificate`, `domains.verifyDomain` and `setup.getDomainConnect`. That of a support link allows `domains.getSite`, `domains.diagnoseDomain`, `domains.getCertificate`, `domains.listEvents` and `usage.getUsage`. The operation needs no key. Browsers may call it from the page of the link, and from the origins of the workspace (`setup.setBrand`). */
    openSession(input: {
      /** The token of a set-up link: the part after `#` in its `url`. */
      token: string;
    }, options?: CallOptions): Promise<{
      /** For `Authorization: Bearer …`. */
      sessionToken: string;
      /** When the session token expires. Open another session before then. Unix time in milliseconds. */
      expiresAt: number;
      /** `setup`: the set-up page, for the owner of the domain. `support`: a read-only page of the domain in the dashboard. More values may be added. */
      purpose: 'setup' | 'support' | (string & {});
      domain: Domain;
      brand: Brand;
      /** URL of the set-up page. Followed by `#` and the token of the link, it is the `url` of the link. Absent if NAMEPLATE_PUBLIC_URL is not set. */
      pageUrl?: string;
    }>;
  };
  targets: {
    /** List the shared targets of the workspace. Returns the hosts that the operator has given to this workspace with `nameplate targets add`, in alphabetical order. Permission: `environment.*.use_shared_target`. */
    listTargets(input: Record<string, never>, options?: CallOptions): Promise<Array<SharedTarget>>;
  };
  projects: {
    /** Create a project. Creates a project in the workspace of the root key. Permission: `project.*.create_project`. */
    createProject(input: {
      /** Short name for use in requests: lower-case letters, digits and hyphens. Unique in the workspace, project or app that contains it. */
      slug: string;
      /** Display name. */
      name?: string | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new project. Begins with `proj_`. */
      projectId: string;
    }>;
    /** Get a project. Retrieves a project by its id or slug. Permission: `project.*.read_project` or `project.<project_id>.read_project`. */
    getProject(input: {
      /** Id or slug of the project. */
      project: string;
    }, options?: CallOptions): Promise<Project>;
    /** List the projects of the workspace. Returns the projects in order of creation, one page at a time. Permission: `project.*.read_project`. */
    listProjects(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<Project>>;
    /** Delete a project. Deletes a project that has no apps. Permission: `project.*.delete_project` or `project.<project_id>.delete_project`. */
    deleteProject(input: {
      /** Id or slug of the project. */
      project: string;
    }, options?: CallOptions): Promise<void>;
  };
  apps: {
    /** Create an app. Creates an app in a project. Permission: `app.*.create_app`. */
    createApp(input: {
      /** Id or slug of the project. */
      project: string;
      /** Short name for use in requests: lower-case letters, digits and hyphens. Unique in the workspace, project or app that contains it. */
      slug: string;
      /** Display name. */
      name?: string | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new app. Begins with `app_`. */
      appId: string;
    }>;
    /** Get an app. Retrieves an app by its id, or by its slug and project. Permission: `app.*.read_app` or `app.<app_id>.read_app`. */
    getApp(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
    }, options?: CallOptions): Promise<App>;
    /** List the apps of a project. Returns the apps in order of creation, one page at a time. Permission: `app.*.read_app`. */
    listApps(input: {
      /** Id or slug of the project. */
      project: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<App>>;
    /** Delete an app. Deletes an app that has no environments. Permission: `app.*.delete_app` or `app.<app_id>.delete_app`. */
    deleteApp(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
    }, options?: CallOptions): Promise<void>;
  };
  environments: {
    /** Create an environment. Creates an environment in an app. Permission: `environment.*.create_environment`. */
    createEnvironment(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
      /** Short name for use in requests: lower-case letters, digits and hyphens. Unique in the workspace, project or app that contains it. */
      slug: string;
      /** Display name. */
      name?: string | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new environment. Begins with `env_`. */
      environmentId: string;
    }>;
    /** Get an environment. Retrieves an environment by its id, or by its slug, project and app. Permission: `environment.*.read_environment` or `environment.<environment_id>.read_environment`. */
    getEnvironment(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
    }, options?: CallOptions): Promise<Environment>;
    /** List the environments of an app. Returns the environments in order of creation, one page at a time. Permission: `environment.*.read_environment`. */
    listEnvironments(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<Environment>>;
    /** Delete an environment. Deletes an environment that has no domains, and its deployments. Deleted domains that were in it can no longer be restored. Permission: `environment.*.delete_environment` or `environment.<environment_id>.delete_environment`. */
    deleteEnvironment(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** If true, nothing is deleted while deleted domains of the environment can still be restored. */
      refuseRestorable?: boolean | undefined;
    }, options?: CallOptions): Promise<void>;
    /** Change the origin settings of an environment. Changes the settings in the request: null removes a setting, and absent settings stay as they are. Within a second, the settings apply to every origin of the environment. `secret: null` ends the secret at once; `environments.rotateOriginSecret` creates one. Permission: `environment.*.update_origin_settings` or `environment.<environment_id>.update_origin_settings`. */
    updateOriginSettings(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** The `Host` header that the origin gets: `visitor` (the name that was requested), `origin` (the host of the origin's URL), or a fixed name. An https origin also gets this name as the server name (SNI), and its certificate must be valid for it. Null: `visitor`. */
      hostHeader?: string | null | undefined;
      /** Certificate that the edge presents to https origins (mTLS). Null: none. */
      clientCertificate?: {
        /** The certificate and its chain, PEM. */
        certificate: string;
        /** The private key of the certificate, PEM, not encrypted. It is stored encrypted and never shown. */
        privateKey: string;
      } | null | undefined;
      /** CA certificates, PEM. The edge accepts only certificates from these CAs from https origins. Null: public CAs. */
      caCertificate?: string | null | undefined;
      /** If true, each request to an origin has the header `Nameplate-External-Id` with the external id of the domain, in percent-encoded UTF-8 (`decodeURIComponent` decodes it). Visitors cannot set this header. */
      sendExternalId?: boolean | null | undefined;
      /** Null: stop sending a secret. */
      secret?: null | undefined;
    }, options?: CallOptions): Promise<OriginSettings>;
    /** Get the origin settings of an environment. Retrieves how the edge sends requests to the origins of the environment, without the secret and the private key. Permission: `environment.*.read_origin_settings` or `environment.<environment_id>.read_origin_settings`. */
    getOriginSettings(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
    }, options?: CallOptions): Promise<OriginSettings>;
    /** Create or rotate the origin secret of an environment. Creates the first secret or replaces the current one. The edge sends the secret with every request to an origin, in the header `Nameplate-Edge-Secret`. During the overlap it sends the new secret and the previous one, separated by a comma and a space. The secret is shown only once. Anyone who can create a deployment in the environment can have the secret sent to their own server. Permission: `environment.*.update_origin_settings` or `environment.<environment_id>.update_origin_settings`. */
    rotateOriginSecret(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** How long the edge also sends the previous secret; one day if absent. Use 0 if it has leaked. */
      overlapSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new secret. Begins with `npe_`. */
      secret: string;
      /** Until when the edge also sends the previous secret, if there was one. Unix time in milliseconds. */
      previousExpiresAt: number;
    }>;
  };
  deployments: {
    /** Deploy to an environment. Creates a deployment, which becomes the current one of the environment: traffic for its domains goes to the origin. Permission: `environment.*.create_deployment` or `environment.<environment_id>.create_deployment`. */
    createDeployment(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Where the traffic goes: an http or https URL that consists of scheme, host and port only. */
      origin: string;
    }, options?: CreationOptions): Promise<{
      /** The new deployment. Begins with `dep_`. */
      deploymentId: string;
    }>;
    /** List the deployments of an environment. Returns the deployments in order of creation, one page at a time. `currentDeploymentId` of the environment names the current one. Permission: `environment.*.read_deployment` or `environment.<environment_id>.read_deployment`. */
    listDeployments(input: {
      /** Id or slug of the project. Required if `app` is a slug. Otherwise you can omit it; if you send it, it must match. */
      project?: string | undefined;
      /** Id or slug of the app. Required if `environment` is a slug. Otherwise you can omit it; if you send it, it must match. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<Deployment>>;
  };
  webhooks: {
    /** Create a webhook. Creates a webhook. From then on, events of all domains of the workspace are sent to its URL. They are signed with the secret, which is shown only once. Permission: `webhook.*.create_webhook`. Also `environment.*.read_domain` on all environments, since the receiver gets the events of every domain. */
    createWebhook(input: {
      /** Where events are sent: an https URL without user, password or fragment. Plain http, and addresses or names that are not public, are accepted only if the operator allows them. */
      url: string;
      /** Types of events that are sent. `*`: all types, including those of later releases. All types if absent. */
      types?: Array<'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | '*'> | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new webhook. Begins with `wh_`. */
      webhookId: string;
      /** The secret with which receivers verify signatures. Begins with `whsec_`. */
      secret: string;
    }>;
    /** Get a webhook. Retrieves a webhook, without its secret. Permission: `webhook.*.read_webhook` or `webhook.<webhook_id>.read_webhook`. */
    getWebhook(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
    }, options?: CallOptions): Promise<Webhook>;
    /** List the webhooks of the workspace. Returns the webhooks in order of creation, one page at a time. Permission: `webhook.*.read_webhook`. */
    listWebhooks(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<Webhook>>;
    /** Change a webhook. Changes the properties in the request. Waiting events are sent to the new URL. While the webhook is disabled, waiting events keep waiting. Events that happen in that time are never sent to it. When you enable the webhook, waiting events are sent at once. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. Also `environment.*.read_domain` on all environments, to set the URL or the types: the receiver gets the events of every domain. */
    updateWebhook(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** Where events are sent: an https URL without user, password or fragment. Plain http, and addresses or names that are not public, are accepted only if the operator allows them. */
      url?: string | undefined;
      /** Types of events that are sent. `*`: all types, including those of later releases. */
      types?: Array<'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | '*'> | undefined;
      /** Whether events are sent. */
      enabled?: boolean | undefined;
    }, options?: CallOptions): Promise<Webhook>;
    /** Delete a webhook. Deletes the webhook and its secrets. Waiting events are not sent; a request in flight finishes. Permission: `webhook.*.delete_webhook` or `webhook.<webhook_id>.delete_webhook`. */
    deleteWebhook(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
    }, options?: CallOptions): Promise<void>;
    /** Rotate the secret of a webhook. Creates a new secret, which is shown only once. Until the previous secret expires, requests are signed with both. If an earlier rotation still overlaps, the secret that it replaced expires at once. Send an `Idempotency-Key`. If the response is lost, repeat the request with the same key to get the same secret. Without the key, each repeat rotates again, and ends the secret that your receivers know. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. */
    rotateSecret(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** How long requests are also signed with the previous secret; one day if absent. Use 0 if it has leaked. */
      overlapSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new secret. Begins with `whsec_`. */
      secret: string;
      /** Until when requests are also signed with the previous secret. Unix time in milliseconds. */
      previousExpiresAt: number;
    }>;
    /** Send a test event. Sends an event of the type `webhook.test` within seconds, whatever types the webhook has. It is not retried if it fails: webhooks.getDelivery shows the receiver's response. A workspace can send 60 test events a minute unless the operator sets another limit. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. */
    sendTest(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
    }, options?: CallOptions): Promise<{
      /** The delivery. Begins with `dlv_`. */
      deliveryId: string;
    }>;
    /** List the deliveries of a webhook. Returns the deliveries, newest first, one page at a time: those that wait, and the others with their results. Deliveries are kept for 14 days unless the operator sets another time. Permission: `webhook.*.read_webhook` or `webhook.<webhook_id>.read_webhook`. */
    listDeliveries(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
      /** Only deliveries in this state. */
      state?: 'waiting' | 'delivered' | 'failed' | undefined;
    }, options?: CallOptions): Promise<Page<Delivery>>;
    /** Get a delivery. Retrieves a delivery, with the body of the receiver's last response if that attempt failed. Permission: `webhook.*.read_webhook` or `webhook.<webhook_id>.read_webhook`. */
    getDelivery(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** Id of the delivery (`dlv_…`). */
      deliveryId: string;
    }, options?: CallOptions): Promise<Delivery>;
    /** Send an event again. Sends the event of a delivery again, with the same `webhook-id` and content. If the delivery is finished, this creates a new one, which waits for no other. If it still waits, no new one is created: it is attempted at once, or the earlier delivery of the domain that it waits for. A workspace can request 60 a minute unless the operator sets another limit. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. */
    redeliver(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** Id of the delivery (`dlv_…`). */
      deliveryId: string;
    }, options?: CallOptions): Promise<{
      /** The new delivery, or the given one if it still waits. Begins with `dlv_`. */
      deliveryId: string;
    }>;
  };
  usage: {
    /** Get the usage of a domain. Returns the usage of a domain by hour or by day: requests, bytes, and errors of the edge and of the origin. Usage is written once a minute and kept for 90 days, even if the domain is deleted. For a deleted domain, give its id. Permission: `environment.*.read_usage` or `environment.<environment_id>.read_usage`. A session of a support link may call it for its domain. */
    getUsage(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Start of the period: hours that begin then or later are counted. Unix time in milliseconds. */
      from: number;
      /** End of the period: hours that begin before it are counted. Now if absent. Unix time in milliseconds. */
      to?: number | undefined;
      /** `hour` if absent. Days are those of UTC. */
      resolution?: 'hour' | 'day' | undefined;
    }, options?: CallOptions): Promise<UsageHistory>;
    /** List the usage of all domains. Returns the totals of each domain of the workspace, for billing. It lists the domains with usage in the period, in order of their first verification, one page at a time. Deleted domains are included for 90 days. A page may have fewer items than `limit`, or none, although more follow. Continue until `hasMore` is false. Permission: `environment.*.read_usage`. */
    listUsage(input: {
      /** Start of the period: hours that begin then or later are counted. Unix time in milliseconds. */
      from: number;
      /** End of the period: hours that begin before it are counted. Now if absent. Unix time in milliseconds. */
      to?: number | undefined;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<DomainUsage>>;
  };
  audit: {
    /** List who changed what. Returns the audit log of the workspace, newest first, one page at a time. It has one entry for each resource that a call of the API or a command of the operator changed. Entries remain when the resource is deleted. For the results of checks, see domains.listEvents. With a filter, each page searches a limited number of entries: it may have fewer items than `limit`, or none, although more follow. Continue until `hasMore` is false. Entries are kept for a year unless the operator sets another time. Permission: `audit.*.read_entries`. */
    listEntries(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
      /** Only entries of this actor: the id of a root key or set-up link, or the subject of a dashboard token. */
      actor?: string | undefined;
      /** Only entries of this operation or command. */
      action?: string | undefined;
      /** Only entries about the resource that has, or had, this id or name. */
      target?: string | undefined;
    }, options?: CallOptions): Promise<Page<AuditEntry>>;
  };
  keys: {
    /** Create a root key. Creates a key of the workspace, which is shown only once. The key can do no more than the caller: a permission that the caller lacks is refused. A permission on all resources of a kind (`*`) includes the permission on each of them. The key expires when the caller does, unless `expiresAt` is earlier. If the caller is revoked later, the key still works: `createdBy` shows which keys a key created. Permission: `key.*.create_key`. */
    createKey(input: {
      /** Display name. */
      name: string;
      /** Permissions of the new key. */
      permissions?: Array<string> | undefined;
      /** A set of permissions, in addition to `permissions`. */
      preset?: 'read-only' | 'support' | 'platform' | 'owner' | undefined;
      /** When the key expires. Default: when the caller expires. Unix time in milliseconds. */
      expiresAt?: number | undefined;
    }, options?: CreationOptions): Promise<CreatedKey>;
    /** Get a root key. Retrieves a key by its id, without its secret, which cannot be retrieved. Permission: `key.*.read_key` or `key.<key_id>.read_key`. */
    getKey(input: {
      /** Id of the root key (`key_…`). */
      keyId: string;
    }, options?: CallOptions): Promise<RootKey>;
    /** List the root keys of the workspace. Returns the keys in order of creation, one page at a time, without their secrets. Revoked keys are not listed. Permission: `key.*.read_key`. */
    listKeys(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<RootKey>>;
    /** Rotate a root key. Replaces a key with a new one that has the same name, permissions and expiry. The old key works until the overlap ends. The caller must have every permission of the old key, and must not expire before it. A key can be rotated only once: after that, rotate its successor. Permission: `key.*.rotate_key` or `key.<key_id>.rotate_key`. */
    rotateKey(input: {
      /** Id of the root key (`key_…`). */
      keyId: string;
      /** How long the old key still works; one day if absent. Use 0 if it has leaked. */
      overlapSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<RotatedKey>;
    /** Revoke a root key. Deletes the key. Within a second, every node refuses it and the dashboard tokens created with it. The caller can have fewer permissions than the key. Permission: `key.*.revoke_key` or `key.<key_id>.revoke_key`. */
    revokeKey(input: {
      /** Id of the root key (`key_…`). */
      keyId: string;
    }, options?: CallOptions): Promise<void>;
  };
  tokens: {
    /** Create a dashboard token. Creates a token that stands for one person, with all or some of the permissions of the root key. Use it on pages of yours that call the API for someone who is signed in there. Send the token like a root key. It works for two minutes at most. It is refused as soon as the key is revoked, disabled or expired. It cannot create keys, tokens or workspaces. Permission: `token.*.create_token`. */
    createToken(input: {
      /** The person, as timelines and the audit log show them, such as your own id for them. It must not begin with `key_`, `link_` or `nameplate ` (with a space), as the ids of keys and links and the names of commands do. */
      subject: string;
      /** Permissions of the token. If absent: all those of the root key. */
      permissions?: Array<string> | undefined;
      /** How long the token works, in seconds. Default: 60. */
      expiresInSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<CreatedToken>;
  };
  workspaces: {
    /** Create a workspace. Creates a workspace, for example for one of your customers. It has the project `main` with the app `web` and the environment `production`, and a first key, which is shown only once. The key can do no more than the caller. It has the permissions of the preset `platform` unless you give others. The new workspace is separate: it has its own names, keys and quotas. Its limits are those that your workspace has now. Your workspace can list it, and can reach what is inside it only with that key. Permission: `workspace.*.create_workspace`. */
    createWorkspace(input: {
      /** Display name. */
      name: string;
      /** Permissions of the new key. */
      permissions?: Array<string> | undefined;
      /** A set of permissions, in addition to `permissions`. */
      preset?: 'read-only' | 'support' | 'platform' | 'owner' | undefined;
    }, options?: CreationOptions): Promise<CreatedWorkspace>;
    /** List the workspaces that your workspace created. Returns the workspaces in order of creation, one page at a time. Permission: `workspace.*.read_workspace`. */
    listWorkspaces(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<Workspace>>;
  };
}

export const OPERATIONS: readonly string[] = [
  'domains.createDomain',
  'domains.createDomains',
  'domains.getDomain',
  'domains.getSite',
  'domains.listDomains',
  'domains.listWorkspaceDomains',
  'domains.countDomains',
  'domains.countSites',
  'domains.updateDomain',
  'domains.verifyDomain',
  'domains.deleteDomain',
  'domains.restoreDomain',
  'domains.moveDomain',
  'domains.suspendDomain',
  'domains.resumeDomain',
  'domains.diagnoseDomain',
  'domains.listEvents',
  'domains.checkName',
  'domains.getCertificate',
  'domains.uploadCertificate',
  'domains.removeCertificate',
  'domains.setRedirect',
  'domains.getRedirect',
  'domains.removeRedirect',
  'domains.createSetupLink',
  'domains.listSetupLinks',
  'domains.revokeSetupLink',
  'setup.setBrand',
  'setup.getBrand',
  'setup.getDomainConnect',
  'targets.listTargets',
  'projects.createProject',
  'projects.getProject',
  'projects.listProjects',
  'projects.deleteProject',
  'apps.createApp',
  'apps.getApp',
  'apps.listApps',
  'apps.deleteApp',
  'environments.createEnvironment',
  'environments.getEnvironment',
  'environments.listEnvironments',
  'environments.deleteEnvironment',
  'environments.updateOriginSettings',
  'environments.getOriginSettings',
  'environments.rotateOriginSecret',
  'deployments.createDeployment',
  'deployments.listDeployments',
  'webhooks.createWebhook',
  'webhooks.getWebhook',
  'webhooks.listWebhooks',
  'webhooks.updateWebhook',
  'webhooks.deleteWebhook',
  'webhooks.rotateSecret',
  'webhooks.sendTest',
  'webhooks.listDeliveries',
  'webhooks.getDelivery',
  'webhooks.redeliver',
  'usage.getUsage',
  'usage.listUsage',
  'audit.listEntries',
  'keys.createKey',
  'keys.getKey',
  'keys.listKeys',
  'keys.rotateKey',
  'keys.revokeKey',
  'tokens.createToken',
  'workspaces.createWorkspace',
  'workspaces.listWorkspaces',
  'setup.openSession',
];

interface App {
  /** The app. Begins with `app_`. */
  id: string;
  /** Its project. Begins with `proj_`. */
  projectId: string;
  /** Short name for use in requests: lower-case letters, digits and hyphens. Unique in the workspace, project or app that contains it. */
  slug: string;
  /** Display name. */
  name?: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

interface AuditEntry {
  /** Entry. Begins with `aud_`. */
  id: string;
  /** When the change was made. Unix time in milliseconds. */
  at: number;
  /** The operation, such as `domains.deleteDomain`, or the command, such as `keys create`. */
  action: string;
  /** The credential of the caller. `command`: the operator ran a command on the server. */
  actorKind: 'root_key' | 'dashboard_token' | 'setup_link' | 'command' | (string & {});
  /** Who made the change: the id of the root key or set-up link, or the subject of the dashboard token; `operator` for a command. */
  actor: string;
  /** IP address of the client; absent for a command. */
  from?: string;
  /** `meta.requestId` of the response; absent for a command. */
  requestId?: string;
  /** Id of the resource that was changed; for a certificate, its name. */
  target: string;
  /** Name or slug of the resource at that time, if it had one. */
  targetName?: string;
  /** A summary of the new values, never with a secret. Its properties depend on the action. */
  detail: Record<string, unknown>;
}

/** Why the edge does not serve the name with a valid certificate yet. Absent if it does: in that case, DNS can lead here. */
interface Blocker {
  /** `not_checked`: no check has completed yet. `not_verified`: the records are not in place. `verification_failed`: the domain has the status `failed`. `not_ordered`: the certificate is about to be ordered. `ordering`: the order is in progress. The other reasons are those of domains.getCertificate. More may be added. */
  reason: 'not_checked' | 'not_verified' | 'verification_failed' | 'not_ordered' | 'ordering' | 'no_address' | 'dns_unreadable' | 'address_not_public' | 'unreachable' | 'answered_by_another' | 'caa_forbids' | 'no_challenge_record' | 'challenge_elsewhere' | 'challenge_not_seen' | 'dns_servers_failing' | 'budget_spent' | 'ca_rate_limited' | 'ca_unavailable' | 'ca_account' | 'authorization_failed' | 'ca_refused' | 'not_issued_here' | (string & {});
  /** Human-readable message about the domain or its certificate; absent during normal progress. */
  message?: string;
  /** Since when the reason applies. Before the domain is verified: when the verification window began. Unix time in milliseconds. */
  since: number;
}

interface BoardGroup {
  /** `not_checked`: no check has completed yet. `not_verified`: the records are not in place. `verification_failed`: the domain has the status `failed`. `not_ordered`: the certificate is about to be ordered. `ordering`: the order is in progress. The other reasons are those of domains.getCertificate. More may be added. */
  reason: 'not_checked' | 'not_verified' | 'verification_failed' | 'not_ordered' | 'ordering' | 'no_address' | 'dns_unreadable' | 'address_not_public' | 'unreachable' | 'answered_by_another' | 'caa_forbids' | 'no_challenge_record' | 'challenge_elsewhere' | 'challenge_not_seen' | 'dns_servers_failing' | 'budget_spent' | 'ca_rate_limited' | 'ca_unavailable' | 'ca_account' | 'authorization_failed' | 'ca_refused' | 'not_issued_here' | (string & {});
  /** Number of domains with this reason. */
  count: number;
  /** The domain that has had this reason for the longest time. */
  oldest: {
    /** Its name. */
    domain: string;
    /** Human-readable message about the domain or its certificate; absent during normal progress. */
    message?: string;
    /** Since when the reason applies. Before the domain is verified: when the verification window began. Unix time in milliseconds. */
    since: number;
  };
}

/** How the workspace appears to its customers. */
interface Brand {
  /** Name of your platform. */
  name?: string;
  /** Logo as a `data:` URL in base64: a PNG, WebP, JPEG or SVG image of at most 64 KiB. */
  logo?: string;
  /** Colour of buttons and links on a light background, such as `#1d5fd1`. */
  accent?: string;
  /** Colour of buttons and links on a dark background. Default: that of `accent`. */
  accentDark?: string;
  /** Where customers get help: a `mailto:` or `https:` URL. */
  support?: string;
}

/** The certificate from the server that the name moves from, as for domains.uploadCertificate with `managed`. The domain has it from the start, so none is ordered. If anything is wrong with it, the name is refused. The key needs `update_domain` on the environment. */
interface BroughtCertificate {
  /** PEM: the certificate of the name and its intermediate certificates, in any order. A root certificate among them is ignored. */
  certificates: string;
  /** The private key of the certificate as PEM, not encrypted: RSA of 2048 to 4096 bits, P-256 or P-384. It is stored encrypted and never shown. */
  privateKey: string;
}

interface Certificate {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** `none`: not needed yet; it is ordered once the domain is verified, or its ownership and challenge records are found. `wanted`: about to be ordered. `waiting_for_routing`: validation at the CA would fail, so nothing is ordered yet. `ordering`: an order is in progress at the CA; a `problem` is from the previous order. `issued`: in use. `renewing`: in use, and its successor is being ordered. `failed`: the CA did not issue it, and Nameplate will try again. */
  state: 'none' | 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed' | (string & {});
  problem?: CertificateProblem;
  /** How the CA validates the name, in the last order or the one in progress. Nameplate chooses the challenge for each order. Absent before the first order, and if the CA does not validate names. */
  challenge?: 'http-01' | 'dns-01' | 'tls-alpn-01' | (string & {});
  /** Number of failed attempts in a row. */
  failures: number;
  /** Time of the next attempt to order or renew it. Absent during an attempt, and in the state `none`. Unix time in milliseconds. */
  nextTryAt?: number;
  selfCheck?: CertificateSelfCheck;
  issued?: IssuedCertificate;
  staged?: StagedCertificate;
  /** When the certificate was first needed; absent in the state `none`. Unix time in milliseconds. */
  createdAt?: number;
}

interface CertificateChange {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `certificate.*` and `site.ready_to_switch`: the certificate. */
  certificate: {
    /** As in domains.getCertificate. */
    state: string;
    /** Why it is blocked, as a code. */
    reason?: string;
    /** Why it is blocked, as a human-readable message. */
    message?: string;
    /** The issuer of the certificate in use. */
    issuer?: string;
    /** When the certificate in use expires. Unix time in milliseconds. */
    notAfter?: number;
  };
}

interface CertificateExpiringEvent {
  type: 'certificate.expiring';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: CertificateChange;
}

interface CertificateFailedEvent {
  type: 'certificate.failed';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: CertificateChange;
}

interface CertificateIssuedEvent {
  type: 'certificate.issued';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: CertificateChange;
}

/** Why the certificate is not issued or renewed; absent without a problem. */
interface CertificateProblem {
  /** Why the certificate is not issued or renewed, as a code. More values may be added. */
  reason: 'no_address' | 'dns_unreadable' | 'address_not_public' | 'unreachable' | 'answered_by_another' | 'caa_forbids' | 'no_challenge_record' | 'challenge_elsewhere' | 'challenge_not_seen' | 'dns_servers_failing' | 'budget_spent' | 'ca_rate_limited' | 'ca_unavailable' | 'ca_account' | 'authorization_failed' | 'ca_refused' | 'not_issued_here' | (string & {});
  /** Human-readable message: the cause, where it is and how to fix it. */
  message: string;
  /** Since when the problem blocks the certificate. Unix time in milliseconds. */
  at: number;
}

/** When it will be renewed; for an imported certificate, when a managed one takes its place. */
interface CertificateRenewal {
  /** `ari`: suggested by the CA (RFC 9773). `lifetime`: a third of the lifetime is left. */
  source: 'ari' | 'lifetime' | (string & {});
  /** Start of the renewal window. Unix time in milliseconds. */
  startsAt: number;
  /** Its end. Unix time in milliseconds. */
  endsAt: number;
  /** When Nameplate renews the certificate, a moment in the window. Unix time in milliseconds. */
  renewAt: number;
  /** Where the CA explains its suggestion. */
  explanationUrl?: string;
}

interface CertificateRenewedEvent {
  type: 'certificate.renewed';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: CertificateChange;
}

/** The last test request to the name over HTTP, which Nameplate makes before it contacts a CA; absent before the first. */
interface CertificateSelfCheck {
  /** When it was made. Unix time in milliseconds. */
  at: number;
  /** The outcome at each address. */
  answers: Array<{
    /** An IP address that the name resolves to. */
    address: string;
    /** `ours`: the edge responded. `another`: another server responded. `unreachable`: nothing responded. `not_public`: the address is not public, so it was not contacted. */
    outcome: 'ours' | 'another' | 'unreachable' | 'not_public' | (string & {});
    /** The response that came instead of the edge's. */
    seen?: string;
  }>;
}

/** An optional record. With it and the TXT record, the certificate is ordered before the domain is verified. Absent if the operator has not set up a challenge zone, and for a wildcard, which has the record in its `dnsRecords`. */
interface ChallengeRecord {
  /** `ALIAS` stands for the record that DNS providers call ALIAS, ANAME or flattened CNAME. An apex domain needs it in place of a CNAME. */
  type: 'CNAME' | 'ALIAS' | 'TXT' | (string & {});
  /** Fully qualified name of the record. */
  name: string;
  /** The exact value to publish. */
  value: string;
  /** How many seconds resolvers may cache the record. */
  ttl: number;
  /** Whether the record was found with the expected value. */
  verified: boolean;
  /** Human-readable note on the purpose of the record. */
  note?: string;
}

interface ConflictingRecord {
  /** The record of the domain that cannot be published while this one is there. */
  record: 'routing' | 'ownership' | (string & {});
  /** Type of the existing record. */
  type: 'CNAME' | 'A' | 'AAAA' | (string & {});
  /** Its name. */
  name: string;
  /** Its name as the DNS provider shows it, without the zone. */
  nameInZone: string;
  /** Its values, as they are in DNS. */
  values: Array<string>;
}

/** With `withWww`: the second domain, which redirects to the new one. */
interface Counterpart {
  /** The second domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** The DNS records that the domain needs. Their values never change. */
  dnsRecords: Array<DnsRecord>;
}

interface CreatedKey {
  /** The new key. Begins with `key_`. */
  keyId: string;
  /** The root key. Only this response contains it. Begins with `np_`. */
  key: string;
  /** When the key expires; absent if it does not. Unix time in milliseconds. */
  expiresAt?: number;
}

interface CreatedToken {
  /** For `Authorization: Bearer …`. */
  token: string;
  /** When the token expires. Unix time in milliseconds. */
  expiresAt: number;
}

interface CreatedWorkspace {
  /** The new workspace. Begins with `ws_`. */
  workspaceId: string;
  /** Its environment. Begins with `env_`. */
  environmentId: string;
  /** The new key. Begins with `key_`. */
  keyId: string;
  /** The root key. Only this response contains it. Begins with `np_`. */
  key: string;
}

interface Delivery {
  /** The delivery. Begins with `dlv_`. */
  id: string;
  /** Its webhook. Begins with `wh_`. */
  webhookId: string;
  /** The event. Every request that delivers it has this id in the header `webhook-id`. Begins with `evt_`. */
  eventId: string;
  /** Type of the event. */
  type: 'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | 'webhook.test' | (string & {});
  /** The domain that the event is about; absent for a test event. Begins with `dom_`. */
  domainId?: string;
  /** Its name. */
  domain?: string;
  /** `waiting`: for its next attempt, for an earlier event of the domain, or for the webhook to be enabled. `failed`: given up after three days. */
  state: 'waiting' | 'delivered' | 'failed' | (string & {});
  /** Attempts made. */
  attempts: number;
  lastAttempt?: DeliveryAttempt;
  /** When the next attempt is due. Absent if the delivery waits for an earlier event, or for the webhook to be enabled. Unix time in milliseconds. */
  nextAttemptAt?: number;
  /** When the event happened. Unix time in milliseconds. */
  happenedAt: number;
  /** When the delivery was created: with the event, or by webhooks.redeliver. Unix time in milliseconds. */
  createdAt: number;
  /** When it was delivered or given up. Unix time in milliseconds. */
  finishedAt?: number;
}

/** The last attempt; absent before the first. */
interface DeliveryAttempt {
  /** When it began. Unix time in milliseconds. */
  at: number;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** HTTP status of the response; absent if there was none. */
  status?: number;
  /** Why it failed; absent if it did not. */
  error?: string;
  /** Body of the response, at most 64 KiB. Only `getDelivery` returns it, and only for the 100 newest failed attempts of the webhook. */
  response?: string;
}

interface Deployment {
  /** The deployment. Begins with `dep_`. */
  id: string;
  /** Its environment. Begins with `env_`. */
  environmentId: string;
  /** Where the traffic goes, as scheme, host and port. */
  origin: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

interface Diagnosis {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** Its status, as in domains.getDomain. */
  status: 'pending' | 'verifying' | 'verified' | 'failed' | (string & {});
  /** When the nameservers were queried; with `cached`, since when checks have found this. Absent before the first check. Unix time in milliseconds. */
  checkedAt?: number;
  schedule: DiagnosisSchedule;
  zone?: DiagnosisZone;
  /** The records that the domain needs, and what is there instead or already. */
  records: Array<DiagnosisRecord>;
  challengeRecord?: DiagnosisRecord;
  redirect?: Redirect;
  suspension?: Suspension;
  /** The mistakes in the DNS of the domain, the most important first. */
  findings: Array<Finding>;
}

interface DiagnosisChange {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about that record. In `site.unreachable`: the cause, if the owner of the domain can fix it. Findings beyond 8 KiB are left out. */
  findings: Array<Finding>;
}

interface DiagnosisChangedEvent {
  type: 'diagnosis.changed';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DiagnosisChange;
}

/** A record that the domain may need, and what its nameservers have. */
interface DiagnosisRecord {
  /** `routing`: the CNAME or ALIAS record. `ownership`: the TXT record. `challenge`: the CNAME record that the certificate of a wildcard needs. */
  record: 'routing' | 'ownership' | 'challenge' | (string & {});
  /** Type of record to publish. */
  type: 'CNAME' | 'ALIAS' | 'TXT' | (string & {});
  /** Fully qualified name of the record. */
  name: string;
  /** The name as you enter it at the DNS provider. */
  nameInZone: string;
  /** The exact value to publish. */
  expected: string;
  /** The value as you enter it at the DNS provider: `expected`, with a final dot if the provider would otherwise append the zone. */
  valueInZone: string;
  /** For an ALIAS record: the addresses to publish instead if the provider has no such record. Absent if unknown. */
  addresses?: Array<string>;
  /** Whether this diagnosis found the record with that value; with `cached`, whether the last check did. */
  verified: boolean;
  /** `yes`: the domain needs it. `no`: the domain does not need it at present. `alternative`: it verifies the domain if the other record cannot be read, for example behind a proxy. */
  needed: 'yes' | 'no' | 'alternative' | (string & {});
  /** The answer of each nameserver that was queried; empty with `cached`. */
  seen: Array<{
    /** Host name of the nameserver, or address of a resolver. */
    nameserver: string;
    /** `matched`: the expected value is there. `other`: other values are there. `changing`: two answers differed. `nxdomain`: the name does not exist. `nodata`: the name has no record of this type. Any other value: why the nameserver gave no usable answer. */
    outcome: 'matched' | 'other' | 'changing' | 'nxdomain' | 'nodata' | 'no_address' | 'timeout' | 'unreachable' | 'tcp_failed' | 'servfail' | 'refused' | 'lame' | 'malformed' | 'inconsistent' | 'loop' | 'chain_too_long' | 'no_nameserver' | 'forbidden_address' | 'overloaded' | 'no_resolver' | 'too_many_queries' | (string & {});
    /** The values in the answer. For a TXT record: the texts. For a routing record: the names that the CNAMEs lead to, in order, or the addresses if there is no CNAME. */
    values: Array<string>;
    /** For a TXT record: the names that a CNAME at the same name leads to, in order. Absent if there is no CNAME. */
    cname?: Array<string>;
  }>;
  /** A resolver whose cached answer differs from that of the nameservers; absent if none is known. */
  visible?: {
    /** Address of the resolver. */
    resolver: string;
    /** When its cached answer expires. Unix time in milliseconds. */
    until: number;
  };
}

/** The background checks of the domain. */
interface DiagnosisSchedule {
  /** Number of checks in this verification window; for a verified domain, since it was verified. */
  attempts: number;
  /** When the last check began; absent before the first. Unix time in milliseconds. */
  lastCheckAt?: number;
  /** When the next check is due; absent if none is. Unix time in milliseconds. */
  nextCheckAt?: number;
  /** When the domain fails if it is not verified by then; absent if no verification window is open. Unix time in milliseconds. */
  windowEndsAt?: number;
}

/** The DNS zone that the name is in. */
interface DiagnosisZone {
  /** Name of the zone. If the domain is not registered: the name to register. */
  name: string;
  /** False if the parent zone says that the domain does not exist. */
  registered: boolean;
  /** The nameservers that the parent zone names. */
  nameservers: Array<{
    /** Host name. */
    name: string;
    /** Its addresses that Nameplate may query. */
    addresses: Array<string>;
    /** `answered`: it answered. `not_asked`: it was not queried. Any other value: why it gave no usable answer. */
    outcome: 'answered' | 'not_asked' | 'no_address' | 'timeout' | 'unreachable' | 'tcp_failed' | 'servfail' | 'refused' | 'lame' | 'malformed' | 'inconsistent' | 'loop' | 'chain_too_long' | 'no_nameserver' | 'forbidden_address' | 'overloaded' | 'no_resolver' | 'too_many_queries' | (string & {});
  }>;
  /** The DNS provider that runs the nameservers; absent if unknown. */
  provider?: {
    /** Identifier of the provider, such as `cloudflare`. */
    id: string;
    /** For people. */
    name: string;
    /** URL where its DNS records are edited. */
    panel?: string;
  };
  /** Whether the zone is signed. `bogus`: signatures are wrong, so validating resolvers do not answer. Absent if unknown. */
  dnssec?: 'unsigned' | 'secure' | 'bogus' | (string & {});
}

interface DnsRecord {
  /** `ALIAS` stands for the record that DNS providers call ALIAS, ANAME or flattened CNAME. An apex domain needs it in place of a CNAME. */
  type: 'CNAME' | 'ALIAS' | 'TXT';
  /** Fully qualified name of the record. */
  name: string;
  /** The exact value to publish. */
  value: string;
  /** How many seconds resolvers may cache the record. */
  ttl: number;
  /** Whether the record was found with the expected value. */
  verified: boolean;
  /** Human-readable note on the purpose of the record. */
  note?: string;
}

/** The domain and its verification. */
interface Domain {
  /** Begins with `dom_`. */
  id: string;
  /** Canonical name: lower case, Punycode. */
  domain: string;
  /** The project of the domain's environment. Begins with `proj_`. */
  projectId: string;
  /** The app of the domain's environment. Begins with `app_`. */
  appId: string;
  /** The environment that the domain is attached to. Begins with `env_`. */
  environmentId: string;
  /** `pending`: no check has completed yet. `verifying`: the records do not prove ownership yet. `verified`: they do. `failed`: they did not within 24 hours, or the domain was lost later; `verificationError` says why. */
  status: 'pending' | 'verifying' | 'verified' | 'failed';
  /** Why the domain failed, or what prevents its verification. While checks run, records that are only missing are not reported here. */
  verificationError?: string;
  /** The DNS records that the domain needs. Their values never change. */
  dnsRecords: Array<DnsRecord>;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Last change; absent if there was none. Unix time in milliseconds. */
  updatedAt?: number;
}

/** The domain after the change. */
interface DomainChange {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
}

interface DomainConnect {
  offer?: DomainConnectOffer;
}

/** The offer to publish the records; absent if the provider cannot. */
interface DomainConnectOffer {
  /** Name of the provider, as the provider gives it. Treat it as untrusted text. */
  provider: string;
  /** Host that the link leads to. Show it next to the name. */
  host: string;
  /** https URL of the page where the customer signs in and agrees. */
  url: string;
  /** With `return`: the value that the provider sends back in the parameter `state`. */
  state?: string;
}

/** How many domains there are. More properties may be added. */
interface DomainCounts {
  /** Number of all domains. */
  total: number;
  /** Number of domains with each status. */
  byStatus: {
    /** Domains with the status `pending`. */
    pending: number;
    /** Domains with the status `verifying`. */
    verifying: number;
    /** Domains with the status `verified`. */
    verified: number;
    /** Domains with the status `failed`. */
    failed: number;
  };
  /** Number of domains for each state of the certificate, as in domains.getCertificate. More states may be added. */
  byCertificate: {
    /** Domains whose certificate is in the state `none`. */
    none: number;
    /** Domains whose certificate is in the state `wanted`. */
    wanted: number;
    /** Domains whose certificate is in the state `waiting_for_routing`. */
    waiting_for_routing: number;
    /** Domains whose certificate is in the state `ordering`. */
    ordering: number;
    /** Domains whose certificate is in the state `issued`. */
    issued: number;
    /** Domains whose certificate is in the state `renewing`. */
    renewing: number;
    /** Domains whose certificate is in the state `failed`. */
    failed: number;
  };
  /** When the domains were counted. Unix time in milliseconds. */
  countedAt: number;
}

interface DomainCreatedEvent {
  type: 'domain.created';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainChange;
}

interface DomainDeletedEvent {
  type: 'domain.deleted';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainDeletion;
}

interface DomainDeletion {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `domain.deleted`, if another domain replaced it: why. Absent otherwise. */
  deletion?: {
    /** `replaced`: a request with `replaceUnverified` put another domain of the same name in its place. More values may be added. */
    reason: 'replaced' | (string & {});
    /** The domain that replaced it. Begins with `dom_`. */
    by: string;
  };
}

interface DomainDriftedEvent {
  type: 'domain.drifted';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainFinding;
}

interface DomainEvent {
  /** Begins with `evt_`. */
  id: string;
  /** Type of the event. `diagnosis.changed`: the mistakes in its DNS differ from those that the last event reported, or none is left; at most one event in ten minutes. `domain.drifted`: a verified domain no longer leads here. `domain.recovered`: it leads here again. `domain.restored`: the domain was deleted and has been restored. `domain.superseded`: another workspace proved that it owns the name. `site.ready_to_switch`: the domain is not verified, but its certificate is in use, so its routing record can be changed. `site.live`: visitors reach the site at every address. `site.unreachable`: visitors no longer reach it at any address. More values may be added. */
  type: 'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | (string & {});
  /** When it happened. Unix time in milliseconds. */
  at: number;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  data: DomainEventData;
}

/** The domain after the change, and what changed. */
interface DomainEventData {
  /** Its status. */
  status: 'pending' | 'verifying' | 'verified' | 'failed' | (string & {});
  /** Whether the routing record was in place at that time. */
  routingVerified: boolean;
  /** Whether the ownership record was in place at that time. */
  ownershipVerified: boolean;
  /** As in domains.getDomain. */
  verificationError?: string;
  /** In `record.seen` and `record.lost`: which record. */
  record?: 'routing' | 'ownership' | (string & {});
  /** In `record.seen` and `record.lost`: the values that were there, as they are in DNS. */
  seen?: Array<string>;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about that record. In `site.unreachable`: the cause, if the owner of the domain can fix it. Findings beyond 8 KiB are left out. */
  findings?: Array<Finding>;
  /** In `certificate.*` and `site.ready_to_switch`: the certificate. */
  certificate?: {
    /** As in domains.getCertificate. */
    state: string;
    /** Why it is blocked, as a code. */
    reason?: string;
    /** Why it is blocked, as a human-readable message. */
    message?: string;
    /** The issuer of the certificate in use. */
    issuer?: string;
    /** When the certificate in use expires. Unix time in milliseconds. */
    notAfter?: number;
  };
  /** In `redirect.*`: the redirect. */
  redirect?: {
    /** Name of the destination, or of the former one. */
    to: string;
    /** HTTP status of the redirect. With 308, clients repeat the request with its method and body; after 301, browsers send GET in place of POST. */
    status: 301 | 308 | (number & {});
    /** In `redirect.removed`: why. `requested`: by domains.removeRedirect. The others: the destination was deleted, is no longer verified, or was taken over by another workspace. More values may be added. */
    reason?: 'requested' | 'destination_deleted' | 'destination_failed' | 'destination_superseded' | (string & {});
  };
  /** In `domain.moved`: the two environments. */
  move?: {
    /** The environment that it left. Begins with `env_`. */
    from: string;
    /** The environment that it entered. Begins with `env_`. */
    to: string;
  };
  /** In `domain.deleted`, if another domain replaced it: why. Absent otherwise. */
  deletion?: {
    /** `replaced`: a request with `replaceUnverified` put another domain of the same name in its place. More values may be added. */
    reason: 'replaced' | (string & {});
    /** The domain that replaced it. Begins with `dom_`. */
    by: string;
  };
  /** In `domain.suspended`: the suspension. In `domain.resumed`: the suspension that ended. */
  suspension?: {
    /** HTTP status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other reason. */
    status: 451 | 503 | (number & {});
  };
  live?: Live;
}

interface DomainFailedEvent {
  type: 'domain.failed';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainFinding;
}

interface DomainFinding {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about that record. In `site.unreachable`: the cause, if the owner of the domain can fix it. Findings beyond 8 KiB are left out. */
  findings?: Array<Finding>;
}

interface DomainMove {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `domain.moved`: the two environments. */
  move: {
    /** The environment that it left. Begins with `env_`. */
    from: string;
    /** The environment that it entered. Begins with `env_`. */
    to: string;
  };
}

interface DomainMovedEvent {
  type: 'domain.moved';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainMove;
}

interface DomainOutcome {
  /** The canonical name. If the text is not a domain name: its first 253 characters, with invisible characters escaped. */
  domain: string;
  /** The new domain. After a conflict: the domain that the environment already has under this name. Begins with `dom_`. */
  domainId?: string;
  /** The DNS records that the domain needs. Their values never change. */
  dnsRecords?: Array<DnsRecord>;
  error?: OutcomeError;
}

interface DomainRecoveredEvent {
  type: 'domain.recovered';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainChange;
}

/** `redirect` is absent where requests go to the origin. */
interface DomainRedirect {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  redirect?: Redirect;
}

interface DomainRestoredEvent {
  type: 'domain.restored';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainChange;
}

interface DomainResumedEvent {
  type: 'domain.resumed';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: SuspensionChange;
}

interface DomainRetriedEvent {
  type: 'domain.retried';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainChange;
}

interface DomainSupersededEvent {
  type: 'domain.superseded';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainChange;
}

interface DomainSuspendedEvent {
  type: 'domain.suspended';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: SuspensionChange;
}

/** `suspension` is absent where the site is served. */
interface DomainSuspension {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  suspension?: Suspension;
}

/** More properties may be added. */
interface DomainUsage {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its name; absent if the domain is deleted. */
  domain?: string;
  /** Number of requests and WebSocket connections. */
  requests: number;
  /** Bytes of content that visitors sent, without header fields. */
  bytesIn: number;
  /** Bytes of content that visitors received, without header fields. */
  bytesOut: number;
  /** Responses with status 5xx from the edge itself, for example because the origin was down. */
  edgeErrors: number;
  /** Responses with status 5xx from the origin. */
  originErrors: number;
}

interface DomainVerifiedEvent {
  type: 'domain.verified';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DomainChange;
}

interface Environment {
  /** The environment. Begins with `env_`. */
  id: string;
  /** Its project. Begins with `proj_`. */
  projectId: string;
  /** Its app. Begins with `app_`. */
  appId: string;
  /** Short name for use in requests: lower-case letters, digits and hyphens. Unique in the workspace, project or app that contains it. */
  slug: string;
  /** Display name. */
  name?: string;
  /** The deployment that gets the traffic; absent before the first. Begins with `dep_`. */
  currentDeploymentId?: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

/** Code of an error. More codes may be added. */
type ErrorCode = 'authentication/missing' | 'authentication/malformed' | 'authentication/key_not_found' | 'authentication/setup_link_not_found' | 'authentication/setup_link_incomplete' | 'authentication/setup_link_expired' | 'authentication/setup_link_revoked' | 'authentication/dashboard_link_not_found' | 'authentication/dashboard_signed_out' | 'authorization/key_disabled' | 'authorization/workspace_disabled' | 'authorization/insufficient_permissions' | 'authorization/exceeds_caller' | 'authorization/root_key_required' | 'authorization/forbidden' | 'authorization/setup_session' | 'authorization/setup_workspace_disabled' | 'authorization/origin_not_allowed' | 'validation/invalid_input' | 'data/domain_not_found' | 'data/redirect_destination_not_found' | 'data/target_not_found' | 'data/environment_not_found' | 'data/app_not_found' | 'data/project_not_found' | 'data/webhook_not_found' | 'data/key_not_found' | 'data/delivery_not_found' | 'data/setup_link_not_found' | 'data/domain_already_exists' | 'data/project_already_exists' | 'data/app_already_exists' | 'data/environment_already_exists' | 'application/precondition_failed' | 'application/domain_superseded' | 'application/environment_deleted' | 'application/domains_restorable' | 'application/domain_not_verified' | 'application/redirect_destination_not_verified' | 'application/redirect_chain' | 'application/key_not_rotatable' | 'application/webhook_disabled' | 'application/public_url_missing' | 'application/sealing_unavailable' | 'request/route_not_found' | 'request/page_not_built' | 'request/method_not_allowed' | 'request/not_acceptable' | 'request/body_too_large' | 'request/header_too_large' | 'request/idempotency_key_in_flight' | 'request/idempotency_key_reused' | 'request/timeout' | 'limits/rate_limited' | 'limits/overloaded' | 'limits/too_many_watchers' | 'limits/custom_domain_limit_exceeded' | 'limits/redirect_limit_exceeded' | 'limits/webhook_limit_exceeded' | 'limits/setup_link_limit_exceeded' | 'application/internal' | (string & {});

/** The managed certificate that is kept behind an imported one; absent if there is none. */
interface FallbackCertificate {
  /** The CA's directory URL, or `internal`. */
  issuer: string;
  /** Start of its validity. Unix time in milliseconds. */
  notBefore: number;
  /** End of its validity. Unix time in milliseconds. */
  notAfter: number;
}

/** One mistake in the DNS of a name, or something worth knowing. */
interface Finding {
  /** Which mistake it is. The server explains each code at `/docs/findings/{code}`. More values may be added. */
  code: 'record_missing' | 'name_doubled' | 'record_at_other_name' | 'cname_at_txt_name' | 'records_swapped' | 'wrong_type' | 'cname_elsewhere' | 'cname_other_target' | 'value_doubled_zone' | 'value_is_url' | 'value_is_address' | 'value_whitespace' | 'value_quoted' | 'value_is_txt' | 'cname_loop' | 'cname_chain_too_long' | 'cname_to_broken_zone' | 'address_instead_of_cname' | 'conflicting_records' | 'proxied_without_txt' | 'txt_missing' | 'txt_wrong_value' | 'txt_quoted' | 'txt_case' | 'txt_invisible' | 'txt_encoded' | 'txt_stale' | 'txt_other_domain' | 'txt_truncated' | 'wildcard_answers' | 'cname_at_apex' | 'apex_elsewhere' | 'flattened' | 'proxied' | 'name_not_punycode' | 'zone_not_registered' | 'zone_parked' | 'zone_elsewhere' | 'delegation_mismatch' | 'nameservers_disagree' | 'record_below_cut' | 'resolvers_unreachable' | 'nameserver_refused' | 'nameserver_lame' | 'nameserver_servfail' | 'nameserver_timeout' | 'nameserver_not_found' | 'nameserver_unreachable' | 'nameserver_private' | 'nameserver_tcp' | 'nameserver_malformed' | 'dnssec_bogus' | 'caa_forbids' | 'held_elsewhere' | 'stale_cache' | 'other_certificate' | 'certificate_expired_outside' | 'tls_unreachable' | 'challenge_missing' | 'challenge_elsewhere' | 'challenge_proxied' | (string & {});
  /** `blocking`: the domain is not verified, or not served, until you fix it. `warning`: it may cause trouble. `info`: nothing needs to be fixed. */
  severity: 'blocking' | 'warning' | 'info' | (string & {});
  /** `routing`: the CNAME or ALIAS record. `ownership`: the TXT record. `challenge`: the CNAME record that the certificate of a wildcard needs. */
  record?: 'routing' | 'ownership' | 'challenge' | (string & {});
  /** The name at which the mistake was seen. */
  name?: string;
  /** The values that are there, as they are in DNS. */
  seen?: Array<string>;
  /** The value that belongs there. */
  expected?: string;
  /** The nameservers at which the mistake was seen. */
  nameservers?: Array<string>;
  action?: FindingAction;
  second?: FindingAction;
  facts?: FindingFacts;
  /** The mistake in English sentences, built from the other properties. */
  message: string;
  /** The fix in English; empty if there is nothing to fix. */
  fix: string;
  /** Whether the mistake may disappear without a change of the records. */
  retryable: boolean;
}

/** A fix as data. `action` is absent if there is nothing to fix, and `second` if one fix is enough. If there are two, do both; for the code `address_instead_of_cname`, either is enough. */
interface FindingAction {
  /** The kind of fix. `add`, `change`, `delete`: add, change or delete a record. `replace`: add a record after deleting the records of the types in `removes` at this name. `wait`: wait, and change nothing. `ask`: ask the operator of the nameservers. `create_zone`: create the zone at that provider. `register`: register the domain. `recreate`: delete the domain here and add it again. `repair`: repair the server that visitors reach. More values may be added. */
  kind: 'add' | 'change' | 'replace' | 'delete' | 'wait' | 'ask' | 'create_zone' | 'register' | 'recreate' | 'repair' | (string & {});
  /** Where to do it. `zone`: in the zone, at its DNS provider. `registrar`: at the registrar. `zone_above`: in the parent zone. `server`: at the server that visitors reach. More values may be added. */
  at: 'zone' | 'registrar' | 'zone_above' | 'server' | (string & {});
  /** Name of the zone. */
  zone: string;
  /** DNS provider of the zone; absent if unknown. */
  provider?: string;
  /** Type of the record. */
  type?: 'CNAME' | 'TXT' | 'ALIAS' | 'CAA' | 'NS' | 'DS' | (string & {});
  /** The provider's name for an ALIAS record; absent if unknown. */
  typeInZone?: string;
  /** Fully qualified name of the record. */
  name?: string;
  /** The name as you enter it at the DNS provider. If it is empty, leave the field empty. */
  nameInZone?: string;
  /** Exact value. */
  value?: string;
  /** The value as you enter it at the DNS provider. */
  valueInZone?: string;
  /** Addresses to publish in place of an ALIAS record. */
  addresses?: Array<string>;
  /** The flags of a CAA record. */
  flags?: string;
  /** The tag of a CAA record. */
  tag?: string;
  /** Types of the records to delete at this name. */
  removes?: Array<string>;
}

/** Further facts that `message` and `fix` mention. */
interface FindingFacts {
  /** Which variant of the mistake it is. More values may be added. */
  reason?: 'nxdomain' | 'nodata' | 'no_address' | 'values_swapped' | 'names_swapped' | 'wildcard_cname' | 'wildcard_address' | 'wildcard_txt' | 'hidden_by_proxy' | 'hidden_by_flattening' | 'txt_verifies' | 'txt_needed' | 'beginning_missing' | 'end_missing' | 'text_beside' | 'text_before' | 'other_character' | 'other_values' | 'name_not_added' | 'signature_expired' | 'signature_not_yet_valid' | 'key_missing' | 'signature_missing' | 'proof_missing' | 'older_claim' | 'nameservers_silent' | 'other_records_left' | 'both_needed' | 'some_asked' | 'registration_ended' | 'record_there' | 'timeout' | 'unreachable' | 'tcp_failed' | 'servfail' | 'refused' | 'lame' | 'malformed' | 'inconsistent' | 'loop' | 'chain_too_long' | 'no_nameserver' | 'forbidden_address' | 'overloaded' | 'no_resolver' | 'too_many_queries' | 'answered_by_another' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_not_yet_valid' | 'certificate_untrusted' | 'address_not_public' | 'connection_refused' | 'tls_failed' | 'no_response' | 'no_route' | (string & {});
  /** How much could not be read. `zone`: the whole zone. `some`: some of its nameservers. `delegation`: the list of its nameservers. `name`: this name alone. */
  scope?: 'zone' | 'some' | 'delegation' | 'name' | (string & {});
  /** The delegated zone that the name is in. */
  zone?: string;
  /** The parent zone, which delegates `zone`. */
  zoneAbove?: string;
  /** DNS provider that runs the `nameservers`. */
  provider?: string;
  /** DNS provider that runs the nameservers in `seen`. */
  seenProvider?: string;
  /** The host that the mistake is about: one of `seen`, or the target. */
  host?: string;
  /** Company whose proxy the name leads to. */
  proxy?: string;
  /** Name at which the other record is. */
  otherName?: string;
  /** Domain of this workspace that the value belongs to. */
  owner?: string;
  /** The first character of the value that differs. */
  difference?: {
    /** Its position in characters, counted from 1. */
    position?: number;
    /** The character that is there; absent if there is none. */
    found?: string;
    /** The character that belongs there; absent if there is none. */
    expected?: string;
  };
  /** Whether there are also quotation marks around the value. */
  isQuoted?: boolean;
  /** Whether the record is not needed if the CNAME record is correct. */
  isOptional?: boolean;
  /** The answers of each nameserver. */
  answers?: Array<{
    /** Host name. */
    nameserver: string;
    /** Whether the nameserver has the right record. */
    matches: boolean;
    /** Its answers, one for each query. If all lists are empty, there is no record. */
    looks: Array<{
      /** The names that the CNAMEs lead to, in order. */
      cname: Array<string>;
      /** The TXT values or addresses. */
      values: Array<string>;
      /** Other records at the name. */
      beside: Array<string>;
      /** Whether the CNAMEs lead in a loop. */
      isLoop?: boolean;
    }>;
  }>;
  /** Nameservers that only the parent zone names. */
  onlyDelegated?: Array<string>;
  /** Nameservers that only the zone itself names. */
  onlyInZone?: Array<string>;
  /** When the cached answers have expired. Unix time in milliseconds. */
  until?: number;
  /** How long caches may keep a failure, in seconds. */
  ttlSeconds?: number;
}

/** Policy of the `Strict-Transport-Security` header in its HTTPS responses. */
interface Hsts {
  /** For how many seconds browsers use only HTTPS; 0 ends a policy that they have stored. */
  maxAge: number;
  /** Whether the policy covers every name below this one, including names that are served elsewhere: browsers no longer use HTTP for any of them. For an apex domain, let your customer decide. */
  includeSubDomains?: boolean;
  /** Whether browsers may build in the name (HSTS preloading), which takes months to undo. Needs `includeSubDomains` and a `maxAge` of at least 31536000. */
  preload?: boolean;
}

/** The certificate in use; absent before the first. It stays in use until it is replaced. After a takeover, the name is served with the certificate of its former domain until the new one is issued. */
interface IssuedCertificate {
  /** The CA's directory URL. `internal`: the internal CA. `imported` or `moved`: the certificate was uploaded. */
  issuer: string;
  /** `managed`: Nameplate ordered it. `imported`: it was uploaded with domains.uploadCertificate. `moved`: it was uploaded with `managed`, so Nameplate renews it. */
  source: 'managed' | 'imported' | 'moved' | (string & {});
  fallback?: FallbackCertificate;
  /** Serial number, in hexadecimal. */
  serialNumber: string;
  /** SHA-256 fingerprint of the certificate. */
  fingerprint: string;
  /** Start of its validity. Unix time in milliseconds. */
  notBefore: number;
  /** End of its validity. Unix time in milliseconds. */
  notAfter: number;
  /** When it was put into use. Unix time in milliseconds. */
  issuedAt: number;
  renewal: CertificateRenewal;
}

/** The site as seen from outside. Nameplate looks about once an hour, and every six hours once the site has been live for a day. A worse state counts only after two looks in a row. Absent until the first look after the domain is verified. */
interface Live {
  /** `live`: visitors reach the site at every address of the name. `partly_live`: at some addresses. `unreachable`: at none. More values may be added. */
  state: 'live' | 'partly_live' | 'unreachable' | (string & {});
  /** Why visitors do not reach the site. More values may be added. */
  problem?: 'no_address' | 'answered_by_another' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_not_yet_valid' | 'certificate_untrusted' | 'address_not_public' | 'connection_refused' | 'tls_failed' | 'no_response' | 'timeout' | 'no_route' | (string & {});
  /** The addresses that Nameplate looked at, eight at most. */
  addresses: Array<{
    /** IPv4 or IPv6 address. */
    address: string;
    /** Why visitors do not reach the site. More values may be added. */
    problem?: 'no_address' | 'answered_by_another' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_not_yet_valid' | 'certificate_untrusted' | 'address_not_public' | 'connection_refused' | 'tls_failed' | 'no_response' | 'timeout' | 'no_route' | (string & {});
  }>;
  /** When the site was first seen in this state. Unix time in milliseconds. */
  since: number;
  /** When the site was last looked at. Unix time in milliseconds. */
  checkedAt: number;
  /** Name of the node that looked (NAMEPLATE_NODE_NAME). */
  from: string;
}

interface NameCheck {
  /** The canonical name. If the name is not valid: the text as you sent it, with invisible characters escaped. */
  domain: string;
  /** Whether domains.createDomain accepts the name. */
  valid: boolean;
  /** Why the name is not valid. */
  problem?: {
    /** The rule that the name breaks. */
    message: string;
    /** The name to send instead, if it is certain. */
    fix?: string;
  };
  /** `apex`: the name is a registered domain itself, which cannot have a CNAME and needs an ALIAS record. `subdomain`: any other name. */
  kind?: 'apex' | 'subdomain' | (string & {});
  /** Whether this workspace already has the domain. In that case DNS is not queried: use domains.diagnoseDomain. */
  held: boolean;
  zone?: DiagnosisZone;
  /** Existing records to replace with those of the domain once you have added it. They cannot exist side by side. */
  conflicts: Array<ConflictingRecord>;
  /** The CAA records that apply to the name. If the list is empty, every CA may issue certificates. Absent if they could not be read. */
  caa?: Array<string>;
  /** Mistakes that would prevent the verification or the site, whatever records you publish. */
  findings: Array<Finding>;
}

/** The new brand, which replaces the whole brand. */
interface NewBrand {
  /** Name of your platform. */
  name?: string;
  /** Logo as a `data:` URL in base64: a PNG, WebP, JPEG or SVG image of at most 64 KiB. */
  logo?: string;
  /** Colour of buttons and links on a light background, such as `#1d5fd1`. */
  accent?: string;
  /** Colour of buttons and links on a dark background. Default: that of `accent`. */
  accentDark?: string;
  /** Where customers get help: a `mailto:` or `https:` URL. */
  support?: string;
}

interface OriginSettings {
  /** The environment. Begins with `env_`. */
  environmentId: string;
  /** The `Host` header that the origin gets: `visitor` (the name that was requested), `origin` (the host of the origin's URL), or a fixed name. `X-Forwarded-Host` is always the requested name. */
  hostHeader: string;
  /** About the secret that the edge sends; absent if it sends none. The secret itself is shown only when it is created. */
  secret?: {
    /** When the secret was created. Unix time in milliseconds. */
    createdAt: number;
    /** Until when the edge also sends the previous secret. Unix time in milliseconds. */
    previousExpiresAt?: number;
  };
  /** Certificate that the edge presents to https origins, PEM. */
  clientCertificate?: string;
  /** Whether origins get the header `Nameplate-External-Id`. */
  sendExternalId: boolean;
  /** The CAs whose certificates the edge accepts from https origins, PEM. Absent: public CAs. */
  caCertificate?: string;
}

/** Why the name was refused; absent if it was not. */
interface OutcomeError {
  /** Title of the status. */
  title: string;
  /** Why this name was not attached. */
  detail: string;
  /** HTTP status with which domains.createDomain would have responded. */
  status: number;
  /** Type of the error, as in other error responses. */
  type: string;
  /** The violations, with status 400. */
  errors?: Array<ValidationError>;
}

interface Project {
  /** The project. Begins with `proj_`. */
  id: string;
  /** Short name for use in requests: lower-case letters, digits and hyphens. Unique in the workspace, project or app that contains it. */
  slug: string;
  /** Display name. */
  name?: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

interface RecordChange {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `record.seen` and `record.lost`: which record. */
  record: 'routing' | 'ownership' | (string & {});
  /** In `record.seen` and `record.lost`: the values that were there, as they are in DNS. */
  seen?: Array<string>;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about that record. In `site.unreachable`: the cause, if the owner of the domain can fix it. Findings beyond 8 KiB are left out. */
  findings?: Array<Finding>;
}

interface RecordLostEvent {
  type: 'record.lost';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: RecordChange;
}

interface RecordSeenEvent {
  type: 'record.seen';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: RecordChange;
}

/** Where requests for the domain are redirected to, while both domains are verified. */
interface Redirect {
  /** Canonical name of the destination. */
  to: string;
  /** HTTP status of the redirect. With 308, clients repeat the request with its method and body; after 301, browsers send GET in place of POST. */
  status: 301 | 308 | (number & {});
  /** When this redirect was set. Unix time in milliseconds. */
  setAt: number;
}

interface RedirectChange {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `redirect.*`: the redirect. */
  redirect: {
    /** Name of the destination, or of the former one. */
    to: string;
    /** HTTP status of the redirect. With 308, clients repeat the request with its method and body; after 301, browsers send GET in place of POST. */
    status: 301 | 308 | (number & {});
    /** In `redirect.removed`: why. `requested`: by domains.removeRedirect. The others: the destination was deleted, is no longer verified, or was taken over by another workspace. More values may be added. */
    reason?: 'requested' | 'destination_deleted' | 'destination_failed' | 'destination_superseded' | (string & {});
  };
}

interface RedirectRemovedEvent {
  type: 'redirect.removed';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: RedirectChange;
}

interface RedirectSetEvent {
  type: 'redirect.set';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: RedirectChange;
}

interface RootKey {
  /** The root key. Begins with `key_`. */
  id: string;
  /** Display name; may be empty. */
  name: string;
  /** First characters of the key, to distinguish keys. */
  start: string;
  /** Its permissions. */
  permissions: Array<string>;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Id of the key that created it, even if that key is deleted. Absent if the operator or another workspace created it. */
  createdBy?: string;
  /** When the key expires; absent if it does not. Unix time in milliseconds. */
  expiresAt?: number;
  /** Since when it is disabled, which only the operator can do. Unix time in milliseconds. */
  disabledAt?: number;
  /** When it was last used, accurate to an hour; absent before the first use. Unix time in milliseconds. */
  lastUsedAt?: number;
  /** Id of the key that replaced it in a rotation. */
  replacedBy?: string;
}

interface RotatedKey {
  /** The new key. Begins with `key_`. */
  keyId: string;
  /** The root key. Only this response contains it. Begins with `np_`. */
  key: string;
  /** Until when the old key works. Unix time in milliseconds. */
  previousExpiresAt: number;
}

interface SetupLink {
  /** The set-up link. Begins with `link_`. */
  id: string;
  /** The domain that the link shows. Begins with `dom_`. */
  domainId: string;
  /** `setup`: the set-up page, for the owner of the domain. `support`: a read-only page of the domain in the dashboard. More values may be added. */
  purpose: 'setup' | 'support' | (string & {});
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Who created it: the id of the root key, or the subject of the dashboard token. Absent if unknown. */
  createdBy?: string;
  /** When the link expires. Unix time in milliseconds. */
  expiresAt: number;
  /** When it was revoked; absent if it was not. Unix time in milliseconds. */
  revokedAt?: number;
  /** Who revoked it, as in `createdBy`. */
  revokedBy?: string;
}

interface SetupPage {
  brand: Brand;
  /** Origins of your pages that may show the set-up component, such as `https://app.example.net`: https, or http on loopback. */
  origins: Array<string>;
}

interface SharedTarget {
  /** The host, which you can give as the `target` of domains.createDomain. */
  host: string;
  /** IP addresses that lead to the host. A name that has only these addresses counts as if it had the CNAME. */
  addresses: Array<string>;
  /** When the operator added it. Unix time in milliseconds. */
  createdAt: number;
}

/** A domain, and what serves it. More properties may be added. */
interface Site {
  domain: Domain;
  live?: Live;
  /** Why visitors do not reach the site, if its owner can fix that, as in domains.diagnoseDomain. */
  findings?: Array<Finding>;
  certificate: SiteCertificate;
  challengeRecord?: ChallengeRecord;
  /** True if the certificate is in use although the domain is not verified yet: when the customer changes the routing record, visitors notice nothing. Absent otherwise. */
  readyToSwitch?: true;
  blocker?: Blocker;
  redirect?: Redirect;
  suspension?: Suspension;
  origin?: SiteOrigin;
  settings?: SiteSettings;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
}

/** Summary of the certificate; domains.getCertificate returns all of it. */
interface SiteCertificate {
  /** As in domains.getCertificate. */
  state: 'none' | 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed' | (string & {});
  problem?: CertificateProblem;
  /** Source of the certificate in use, as in domains.getCertificate; absent before the first certificate. More values may be added. */
  source?: 'managed' | 'imported' | 'moved' | (string & {});
  /** When the certificate in use expires; absent before the first certificate. Unix time in milliseconds. */
  notAfter?: number;
}

interface SiteChange {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  live: Live;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about that record. In `site.unreachable`: the cause, if the owner of the domain can fix it. Findings beyond 8 KiB are left out. */
  findings?: Array<Finding>;
}

/** How far a move is. More properties may be added. */
interface SiteCounts {
  /** Number of the domains counted. */
  total: number;
  /** Domains that are ready to switch. */
  readyToSwitch: number;
  /** Domains that visitors reach here at every address, as last seen from outside. */
  live: number;
  /** Why the others are not ready to switch, most frequent reason first. */
  blockers: Array<BoardGroup>;
  /** Domains whose certificate is ordered as soon as the limits of the CA allow. */
  waiting: number;
  /** Longest time until the last of the `waiting` certificates can be ordered, in milliseconds, under the CA's limit of all orders. It assumes that no other names are ordered meanwhile. Absent if none waits. */
  timeLeftMs?: number;
  /** How fast certificates for new names can be ordered, at all CAs together. */
  pace?: {
    /** Number of names in a window. */
    names: number;
    /** Length of the window, in milliseconds. */
    windowMs: number;
    /** Number of CAs. */
    cas: number;
  };
  /** IP addresses that lead to the edge, as the operator has set them; empty if none are set. */
  edgeAddresses: Array<string>;
  /** When the domains were counted. Unix time in milliseconds. */
  countedAt: number;
}

interface SiteLiveEvent {
  type: 'site.live';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: SiteChange;
}

/** Where the requests of visitors go; absent before the first deployment. */
interface SiteOrigin {
  /** Scheme, host and port of the origin. */
  url: string;
  /** The current deployment of the domain's environment; absent if the domain has its own origin. */
  deploymentId?: string;
}

interface SiteReady_to_switchEvent {
  type: 'site.ready_to_switch';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: CertificateChange;
}

/** The settings of the domain that have been set. */
interface SiteSettings {
  /** Where the traffic of the domain goes, in place of its environment's deployment. */
  origin?: string;
  hsts?: Hsts;
  /** The lowest TLS version that visitors may use; handshakes with a lower version are refused. */
  minTlsVersion?: '1.2' | '1.3' | (string & {});
  /** False: HTTP requests go to the origin instead of being redirected to HTTPS. */
  redirectToHttps?: boolean;
}

interface SiteUnreachableEvent {
  type: 'site.unreachable';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: SiteChange;
}

/** A certificate that was uploaded with `managed` before the domain was verified. It is put in use once the domain is verified or prepared. */
interface StagedCertificate {
  /** End of its validity. Unix time in milliseconds. */
  notAfter: number;
}

/** The page that visitors get in place of the site; absent if the site is not suspended. */
interface Suspension {
  /** HTTP status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other reason. */
  status: 451 | 503 | (number & {});
  /** `workspace`: domains.resumeDomain ends it. `operator`: the operator has suspended the domain or the whole workspace, and no key can end it. */
  by: 'workspace' | 'operator' | (string & {});
  /** When the suspension with this status began. Unix time in milliseconds. */
  suspendedAt: number;
}

interface SuspensionChange {
  domain: Domain;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  /** Who did it: the id of the root key or set-up link, or the subject of the dashboard token. For a command of the operator, its name, such as `nameplate certificates import`. Absent if nobody did it, as in a check. */
  actor?: string;
  /** In `domain.suspended`: the suspension. In `domain.resumed`: the suspension that ended. */
  suspension: {
    /** HTTP status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other reason. */
    status: 451 | 503 | (number & {});
  };
}

/** The data and the settings that can be changed, as they are now. More properties may be added. */
interface UpdatedDomain {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** Your own id for the domain. */
  externalId?: string;
  /** Your own data. */
  metadata?: Record<string, string>;
  settings?: SiteSettings;
}

/** More properties may be added. */
interface UsageHistory {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its name; absent if the domain is deleted. */
  domain?: string;
  /** Hours or days in order; those without usage are absent. */
  usage: Array<UsageInTime>;
}

/** More properties may be added. */
interface UsageInTime {
  /** Start of the hour, or of the day in UTC. Unix time in milliseconds. */
  at: number;
  /** Number of requests and WebSocket connections. */
  requests: number;
  /** Bytes of content that visitors sent, without header fields. */
  bytesIn: number;
  /** Bytes of content that visitors received, without header fields. */
  bytesOut: number;
  /** Responses with status 5xx from the edge itself, for example because the origin was down. */
  edgeErrors: number;
  /** Responses with status 5xx from the origin. */
  originErrors: number;
}

interface ValidationError {
  /** Which part of the request is wrong, such as `body.domain`. */
  location: string;
  /** The rule that was violated. */
  message: string;
  /** How to correct it, if known. */
  fix?: string;
}

interface Webhook {
  /** The webhook. Begins with `wh_`. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** Types of events that are sent. `*`: all types, including those of later releases. */
  types: Array<'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | '*' | (string & {})>;
  /** Whether events are sent. */
  enabled: boolean;
  /** Since when it is disabled. Unix time in milliseconds. */
  disabledAt?: number;
  /** `requested`: disabled by webhooks.updateWebhook. `failing`: disabled because nothing was delivered for three days. */
  disabledReason?: 'requested' | 'failing' | (string & {});
  /** First failed attempt since the last successful delivery; absent if none failed. Unix time in milliseconds. */
  failingSince?: number;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Last change by an operation; absent if there was none. Unix time in milliseconds. */
  updatedAt?: number;
}

/** Body of a request to a webhook. More types may be added: ignore those that you do not know. */
type WebhookEvent = DomainCreatedEvent | DomainRetriedEvent | DomainVerifiedEvent | DomainFailedEvent | DomainSupersededEvent | DomainDriftedEvent | DomainRecoveredEvent | DomainDeletedEvent | DomainRestoredEvent | DomainMovedEvent | DomainSuspendedEvent | DomainResumedEvent | RedirectSetEvent | RedirectRemovedEvent | RecordSeenEvent | RecordLostEvent | DiagnosisChangedEvent | CertificateIssuedEvent | CertificateRenewedEvent | CertificateFailedEvent | CertificateExpiringEvent | SiteReady_to_switchEvent | SiteLiveEvent | SiteUnreachableEvent | WebhookTestEvent;

interface WebhookTest {
  /** The webhook. Begins with `wh_`. */
  webhookId: string;
}

interface WebhookTestEvent {
  type: 'webhook.test';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: WebhookTest;
}

interface Workspace {
  /** The workspace. Begins with `ws_`. */
  id: string;
  /** Display name. */
  name: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Since when the workspace is disabled, which only the operator can do. Its keys are refused. Unix time in milliseconds. */
  disabledAt?: number;
}

export type {
  App,
  AuditEntry,
  Blocker,
  BoardGroup,
  Brand,
  BroughtCertificate,
  Certificate,
  CertificateChange,
  CertificateExpiringEvent,
  CertificateFailedEvent,
  CertificateIssuedEvent,
  CertificateProblem,
  CertificateRenewal,
  CertificateRenewedEvent,
  CertificateSelfCheck,
  ChallengeRecord,
  ConflictingRecord,
  Counterpart,
  CreatedKey,
  CreatedToken,
  CreatedWorkspace,
  Delivery,
  DeliveryAttempt,
  Deployment,
  Diagnosis,
  DiagnosisChange,
  DiagnosisChangedEvent,
  DiagnosisRecord,
  DiagnosisSchedule,
  DiagnosisZone,
  DnsRecord,
  Domain,
  DomainChange,
  DomainConnect,
  DomainConnectOffer,
  DomainCounts,
  DomainCreatedEvent,
  DomainDeletedEvent,
  DomainDeletion,
  DomainDriftedEvent,
  DomainEvent,
  DomainEventData,
  DomainFailedEvent,
  DomainFinding,
  DomainMove,
  DomainMovedEvent,
  DomainOutcome,
  DomainRecoveredEvent,
  DomainRedirect,
  DomainRestoredEvent,
  DomainResumedEvent,
  DomainRetriedEvent,
  DomainSupersededEvent,
  DomainSuspendedEvent,
  DomainSuspension,
  DomainUsage,
  DomainVerifiedEvent,
  Environment,
  ErrorCode,
  FallbackCertificate,
  Finding,
  FindingAction,
  FindingFacts,
  Hsts,
  IssuedCertificate,
  Live,
  NameCheck,
  NewBrand,
  OriginSettings,
  OutcomeError,
  Project,
  RecordChange,
  RecordLostEvent,
  RecordSeenEvent,
  Redirect,
  RedirectChange,
  RedirectRemovedEvent,
  RedirectSetEvent,
  RootKey,
  RotatedKey,
  SetupLink,
  SetupPage,
  SharedTarget,
  Site,
  SiteCertificate,
  SiteChange,
  SiteCounts,
  SiteLiveEvent,
  SiteOrigin,
  SiteReady_to_switchEvent,
  SiteSettings,
  SiteUnreachableEvent,
  StagedCertificate,
  Suspension,
  SuspensionChange,
  UpdatedDomain,
  UsageHistory,
  UsageInTime,
  ValidationError,
  Webhook,
  WebhookEvent,
  WebhookTest,
  WebhookTestEvent,
  Workspace,
};
