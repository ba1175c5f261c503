// Generated from the OpenAPI document by "npm run generate".
import type { CallOptions, CreationOptions, Page } from './call-types.ts';

/** Every operation but `domains.watchDomain`, which is a stream. */
export interface ApiCalls {
  domains: {
    /** Attach a domain to an environment. Stores the domain and returns the DNS records it needs. Checks of the records start at once and repeat about once a minute, for at most 24 hours. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. Also `environment.*.replace_domain` on the environment of a domain that `replaceUnverified` replaces. Also `environment.*.use_shared_target` on the environment, for a `target`. */
    createDomain(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Fully qualified name, in Unicode or Punycode, without scheme, port, path or final dot. Or a wildcard, such as `*.shop.example.com`, which stands for every name one label below it. */
      domain: string;
      /** A shared target of the workspace (targets.listTargets): the value of the routing record, in place of a target of its own. The key needs `use_shared_target` on the environment, because a name that leads there already is verified at once, whoever asks for it. Use it for names that your platform serves today. */
      target?: string | undefined;
      /** If true, a domain of the workspace that holds the name and was never verified makes room for the new one. It is deleted, and its timeline has `domain.deleted` with the reason `replaced`. Later, domains.restoreDomain can bring it back. The key needs `replace_domain` on its environment; otherwise the name is a conflict (409). So is a domain that is or was verified, as far back as its events are kept. So is one whose ownership record is found while its checks run. */
      replaceUnverified?: boolean | undefined;
      /** The platform's own id for the domain, without control characters. Several domains may have the same. */
      externalId?: string | undefined;
      /** The platform's own data. At most 50 pairs of texts without control characters, and 4096 bytes as JSON. */
      metadata?: Record<string, string> | undefined;
      /** If true, the counterpart is attached too: `www.example.com` with `example.com`, and `example.com` with `www.example.com`. It redirects (308) to `domain` as soon as both are verified. Both are attached, or neither; both count against the limits, and have the same `externalId` and `metadata`. No other names have a counterpart. */
      withWww?: boolean | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new domain. Begins with `dom_`. */
      domainId: string;
      /** The DNS records the domain needs: the same values for as long as it exists. */
      dnsRecords: Array<DnsRecord>;
      counterpart?: Counterpart;
    }>;
    /** Attach up to 100 domains to an environment. Each name has an outcome of its own, in the order of the request. It is the new domain, as domains.createDomain returns it, or the `error` of that operation. All new domains are stored together, or none. The request may be repeated. A name that the environment already has is a conflict (409) with the `domainId` of its domain. A name of another environment of the workspace is a conflict without it. A name that the request has twice is attached once. Each name counts against the rate limit of domains.createDomain, and each `certificate` against that of domains.uploadCertificate. Names beyond it are refused with 429; if no name is left, so is the whole request. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. Also `environment.*.replace_domain` on the environment of a domain that `replaceUnverified` replaces. Also `environment.*.use_shared_target` on the environment, for a `target`. Also `environment.*.update_domain` on the environment, for a `certificate`. */
    createDomains(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Fully qualified names, in Unicode or Punycode, without scheme, port, path or final dot; or objects that have one, with the platform's own data. */
      domains: Array<string | {
        domain: string;
        /** A shared target of the workspace (targets.listTargets): the value of the routing record, in place of a target of its own. The key needs `use_shared_target` on the environment, because a name that leads there already is verified at once, whoever asks for it. Use it for names that your platform serves today. */
        target?: string | undefined;
        certificate?: BroughtCertificate | undefined;
        /** The platform's own id for the domain, without control characters. Several domains may have the same. */
        externalId?: string | undefined;
        /** The platform's own data. At most 50 pairs of texts without control characters, and 4096 bytes as JSON. */
        metadata?: Record<string, string> | undefined;
      }>;
      /** If true, a domain of the workspace that holds the name and was never verified makes room for the new one. It is deleted, and its timeline has `domain.deleted` with the reason `replaced`. Later, domains.restoreDomain can bring it back. The key needs `replace_domain` on its environment; otherwise the name is a conflict (409). So is a domain that is or was verified, as far back as its events are kept. So is one whose ownership record is found while its checks run. */
      replaceUnverified?: boolean | undefined;
      /** If true, nothing is stored, and the outcome of a name that can be attached has neither `domainId` nor `error`. The limit of domains of the workspace is not checked. */
      dryRun?: boolean | undefined;
    }, options?: CreationOptions): Promise<Array<DomainOutcome>>;
    /** Get a domain. Retrieves a domain and its verification status. Poll it to follow the progress of the verification. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up link may call it for its domain. */
    getDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Domain>;
    /** Get a domain with everything that serves it. The domain as domains.getDomain returns it, whether visitors reach it, its certificate in short, and where it redirects to. It also has its suspension, its origin, its settings, and your own data (`externalId` and `metadata`). The operation domains.listWorkspaceDomains has the same for many. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a support link may call it for its domain. */
    getSite(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Site>;
    /** List the domains of an environment. Domains in order of creation, one page at a time. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    listDomains(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
      /** Part of the id or the name, in any case. */
      search?: string | undefined;
    }, options?: CallOptions): Promise<Page<Domain>>;
    /** List the domains of all environments. Domains of the workspace in order of their names, one page at a time, each as domains.getSite returns it. A key with the permission on some environments gets the domains of these, one environment after the other, each in order of creation. Filters may be combined. With `externalId` or `metadata` too, the order is one environment after the other, each in order of creation. One filter finds its domains by an index. With several filters, with `live`, `ready`, `search` or a time of creation, and for such a key, a page looks at a limited number of domains. It may have fewer items than `limit`, or none, and still a next page, so go on until `hasMore` is false. A page takes the same time however many domains there are. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    listWorkspaceDomains(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
      /** Only domains with this status. */
      status?: 'pending' | 'verifying' | 'verified' | 'failed' | undefined;
      /** Only domains whose certificate is in this state. They are verified, or have it ordered before they are. */
      certificate?: 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed' | undefined;
      /** Only domains that were last seen in this state from outside. */
      live?: 'live' | 'partly_live' | 'unreachable' | undefined;
      /** Only domains that have exactly this external id. */
      externalId?: string | undefined;
      /** Only domains whose metadata has each of these pairs, at most 5. */
      metadata?: Record<string, string> | undefined;
      /** Only domains created then or later. Unix time in milliseconds. */
      createdAfter?: number | undefined;
      /** Only domains created before that. Unix time in milliseconds. */
      createdBefore?: number | undefined;
      /** Part of the id or the name, in any case. */
      search?: string | undefined;
      /** Only domains without a `blocker`, or only those that have one. */
      ready?: boolean | undefined;
      /** Only domains of this environment. */
      within?: {
        /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
        project?: string | undefined;
        /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
        app?: string | undefined;
        /** Id or slug of the environment. */
        environment: string;
      } | undefined;
    }, options?: CallOptions): Promise<Page<Site>>;
    /** Count the domains of the workspace. How many domains of all environments there are, by status and by state of the certificate. Each process counts those of a workspace with more than 10,000 at most once a minute: `countedAt` says when. Permission: `environment.*.read_domain`. */
    countDomains(input: Record<string, never>, options?: CallOptions): Promise<DomainCounts>;
    /** Count the names of a move that are ready to switch. How many of the domains that domains.listWorkspaceDomains lists are ready to switch, and how many have a `blocker`, by its reason. Names that `nameplate move from` added have the metadata `moved_from`: `cloudflare`, `vercel`, `caddy` or `csv`. Each process counts more than 10,000 at most once a minute: `countedAt` says when. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    countSites(input: {
      /** Only domains of this environment. */
      within?: {
        /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
        project?: string | undefined;
        /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
        app?: string | undefined;
        /** Id or slug of the environment. */
        environment: string;
      } | undefined;
      /** Only domains whose metadata has this pair. */
      metadata?: Record<string, string> | undefined;
    }, options?: CallOptions): Promise<SiteCounts>;
    /** Change the platform's own data and the settings of a domain. Changes what the request names and leaves the rest as it is; null removes a value. The values stay with the domain when it is moved, and when it is deleted and restored. Returns all of them as they are now. Where nothing differs, nothing changes. The settings take effect within a second on every node, while the domain is verified. For `settings.origin` the key also needs `create_deployment` for the environment. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. Also `environment.*.create_deployment` on the environment of the domain, for `settings.origin`. */
    updateDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** The platform's own id for the domain; null removes it. */
      externalId?: string | null | undefined;
      /** Pairs to add or replace; a value of null removes its pair, and null in place of the object removes all. Other pairs stay. At most 50 pairs of texts without control characters, and 4096 bytes as JSON. */
      metadata?: Record<string, string | null> | null | undefined;
      /** Settings of this domain alone. A setting that is absent stays as it is, and null removes it. */
      settings?: {
        /** Where the traffic of this domain goes, in place of its environment's deployment: an http or https URL of scheme, host and port only. To set or remove it, the key also needs `create_deployment` for the environment. */
        origin?: string | null | undefined;
        /** `Strict-Transport-Security` (RFC 6797) of all HTTPS responses of this domain, in place of the origin's own. Replaced as a whole. */
        hsts?: {
          /** Seconds for which browsers keep to HTTPS; 0 ends a policy that they have kept. */
          maxAge: number;
          /** Whether the policy covers every name below this one, those too that are served elsewhere: browsers reach none of them over HTTP any more. For the customer's apex domain this is the customer's decision. */
          includeSubDomains?: boolean | undefined;
          /** Whether browsers may have the name built in, which takes months to undo. Needs `includeSubDomains` and a `maxAge` of at least 31536000. */
          preload?: boolean | undefined;
        } | null | undefined;
        /** The lowest version of TLS that visitors may use; handshakes with a lower one are refused. */
        minTlsVersion?: '1.2' | '1.3' | null | undefined;
        /** False: HTTP requests go to the origin, and are not redirected to HTTPS. */
        redirectToHttps?: boolean | null | undefined;
      } | undefined;
    }, options?: CallOptions): Promise<UpdatedDomain>;
    /** Check a domain now. Starts a check of the DNS records; poll domains.getDomain for its result. A domain that failed gets a new window of 24 hours, and keeps its status until the check has a result. Permission: `environment.*.verify_domain` or `environment.<environment_id>.verify_domain`. A session of a set-up link may call it for its domain. */
    verifyDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<void>;
    /** Delete a domain. Deletes the domain with its route and certificate, and ends its checks. The name is free at once: another domains.createDomain makes a new domain, with other records. Until `NAMEPLATE_DELETED_KEEP` is over, seven days by default, domains.restoreDomain brings this one back. Permission: `environment.*.delete_domain` or `environment.<environment_id>.delete_domain`. */
    deleteDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<void>;
    /** Restore a deleted domain. Undoes domains.deleteDomain for as long as deleted domains are kept: seven days unless the operator has set another time (`NAMEPLATE_DELETED_KEEP`). The domain has its id, `createdAt` and DNS records again. A verified one is verified and served at once. It has its certificate unless that has expired, and its own redirect where that may still be set. Redirects of other domains to it, and its set-up links, stay removed. A pending or failed one gets a new verification window. A check runs at once. By name, it restores the domain that was deleted last. Once another workspace has been verified for the name, nothing can be restored: domains.createDomain makes a new domain, whose records prove the name anew. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. */
    restoreDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Domain>;
    /** Move a domain to another environment. Moves the domain to another environment of the workspace, of whichever project and app. It keeps its id, its DNS records, its status, its certificate and its redirects. Within a second, on every node, new requests go to the origin of the other environment. No request is dropped: those in flight end where they began. The key needs `delete_domain` for the environment that the domain leaves, and `create_domain` for the one that it is moved to. If the domain has an own origin, it needs `create_deployment` there too. In the same environment, nothing changes. Permission: `environment.*.delete_domain` or `environment.<environment_id>.delete_domain`. Also `environment.*.create_domain` on the environment that the domain is moved to. Also `environment.*.create_deployment` on the environment that the domain is moved to, if the domain has an own origin. */
    moveDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
    }, options?: CallOptions): Promise<Domain>;
    /** Serve a page in place of a site. Within a second, on every node, visitors get a page of the edge that says that the site is suspended, with status 503 or 451. Its origin gets no requests; those in flight are aborted. A redirect of the domain rests too. All else goes on: the domain keeps its status, its checks, its certificate and its renewals. The result of domains.getDomain does not change; domains.diagnoseDomain and domains.listWorkspaceDomains do. A domain that is not verified yet is suspended once it is. With another status it replaces the previous suspension; with the same, nothing changes. domains.resumeDomain undoes it. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    suspendDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** The status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other. */
      status?: 451 | 503 | undefined;
    }, options?: CallOptions): Promise<DomainSuspension>;
    /** Serve a suspended site again. Undoes domains.suspendDomain: within a second, on every node, visitors get the site again. A suspension by the operator of the server stays. If this call lifts one of the workspace, the response shows that of the operator (`suspension` with `by: operator`); otherwise the call is refused. If nobody has suspended the domain, nothing changes. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    resumeDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<DomainSuspension>;
    /** Find out what is wrong with the DNS of a domain. Asks the nameservers now, and says what each of them has, what is wrong and what to do about it. It changes neither the status nor the schedule of the checks. A verified domain is then looked at from outside within half a minute (`live` in domains.getSite). A certificate that is `waiting_for_routing` is attempted at once. It takes at most 10 s, usually less than one. Requests for one domain within 5 s share a result; a workspace can have 10 of these requests in flight. With `cached` nothing is asked: it answers from the last background check. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up link may call it for its domain, and one of a support link. */
    diagnoseDomain(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Answer from the last background check, without asking the DNS. Default: false. */
      cached?: boolean | undefined;
    }, options?: CallOptions): Promise<Diagnosis>;
    /** List what happened to a domain. The timeline of a domain, newest first, one page at a time. It has actions and their actors, records that appeared or disappeared, and changes of its status and certificate. Checks that change nothing leave no event. Events are kept for 90 days unless the operator sets another time. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a support link may call it for its domain. */
    listEvents(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<DomainEvent>>;
    /** Look at a name before it is attached. Says whether a name can be attached to the environment, where its DNS is edited, and which records are in the way. It changes nothing, and asks the DNS as domains.diagnoseDomain does, with the same limits. Permission: `environment.*.create_domain` or `environment.<environment_id>.create_domain`. */
    checkName(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** The name, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<NameCheck>;
    /** Get the certificate of a domain. Returns the state of the certificate: whether the domain is served over HTTPS and, if not, why and what to do. Before it is wanted the state is `none`, not an error, so clients can poll from the creation of the domain on. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up link may call it for its domain, and one of a support link. */
    getCertificate(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Certificate>;
    /** Serve a domain with a certificate of its owner. Checks the certificate with its key, and serves the domain with it, on every node within a second. The managed certificate that it replaces is kept as the fallback. A managed one takes its place when a third of its time is left (30 days at most), or once it is removed. Its time counts from its upload. The event `certificate.expiring` says so before, when half is left (45 days at most), so that its owner can send another one, which replaces it. It is never renewed. The domain has to be verified, or prepared by its ownership and challenge records. With `managed` it is renewed as one of ours, and may be uploaded before verification. It is kept then, and put in use when the domain is verified or prepared, unless it has expired. It verifies nothing, and is deleted with the domain. The same certificate again changes nothing. Nothing is changed where anything is wrong: each error says what to do. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    uploadCertificate(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** PEM: the certificate of the name, and the intermediate ones above it, in any order. A root among them is left out. */
      certificates: string;
      /** Its private key, PEM, not encrypted: RSA of 2048 to 4096 bits, P-256 or P-384. It is stored sealed and never shown. */
      privateKey: string;
      /** The certificate was issued to the server that you move from: it is served, and renewed as one of ours. No order is placed before its renewal is due. */
      managed?: boolean | undefined;
    }, options?: CallOptions): Promise<Certificate>;
    /** Remove a certificate of the owner of a domain. Serves the domain with its managed certificate again, on every node within a second, and deletes the private key of the imported one. Where no managed one is kept, or it expires soon, one is ordered at once, and the imported one is served until it is there. For one uploaded with `managed`, another is ordered at once; before the domain is verified, it is deleted. Where there is none of these, it changes nothing. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    removeCertificate(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<Certificate>;
    /** Redirect a domain to another one. Redirects every request for the domain to another verified domain of the workspace, such as `www.example.com` to `example.com` or back. It takes effect within a second on every node, from HTTP and HTTPS in one hop, with path and query. The domain needs its DNS records as before, and keeps its certificate; the redirect takes effect while it is verified. Redirects are one hop: the destination may not redirect itself. The redirect is removed when its destination is deleted, fails or is taken over. Requests then go to the origin of the domain again; the timeline has it as `redirect.removed`. Replaces the redirect that the domain has; the same request again changes nothing. The key needs the permission for the environments of both domains. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. Also `environment.*.update_domain` on the environment of the domain that `to` names, too. */
    setRedirect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** Id (`dom_…`) or fully qualified name of the domain to redirect to. */
      to: string;
      /** The status of the response: 308 keeps the method and the body of a request; after 301, browsers send GET in place of POST. */
      status?: 301 | 308 | undefined;
    }, options?: CallOptions): Promise<DomainRedirect>;
    /** Get the redirect of a domain. Returns where the domain redirects to; without `redirect` where it does not. domains.listWorkspaceDomains has the redirects of many domains. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. */
    getRedirect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<DomainRedirect>;
    /** Remove the redirect of a domain. Within a second, requests for the domain go to the origin of its environment again. Where there is no redirect, it changes nothing. Permission: `environment.*.update_domain` or `environment.<environment_id>.update_domain`. */
    removeRedirect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
    }, options?: CallOptions): Promise<void>;
    /** Create a set-up link. Makes a link for the customer who owns the domain: a page that shows the DNS records, reports mistakes in them, and follows the verification. Whoever has the link sees this domain and can have it checked, without signing in, and nothing else. The link is shown only once; its token is in the fragment, which browsers send to no server. With the token, the component `<nameplate-domain>` shows the same in a page of yours. With `purpose` `support` the link is for a helper without an account. It opens the domain in the dashboard, with its records, certificate, timeline and usage. It changes nothing, and shows neither your own data nor who did what. Such a link needs `read_domain` and `read_usage` too: it gives no more than its maker may read. Permission: `environment.*.create_setup_link` or `environment.<environment_id>.create_setup_link`. Also `environment.*.read_domain` on the environment of the domain, for a support link. Also `environment.*.read_usage` on the environment of the domain, for a support link. */
    createSetupLink(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** `setup` or `support`. Default: `setup`. */
      purpose?: 'setup' | 'support' | undefined;
      /** How long the link works: a minute to 30 days. Default: 7 days; of a support link, one day. */
      expiresInSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new link. Begins with `link_`. */
      linkId: string;
      /** The page, for the customer. */
      url: string;
      /** For the component in a page of yours. Begins with `nps_`. */
      token: string;
      /** From then on the link does not work. Unix time in milliseconds. */
      expiresAt: number;
    }>;
    /** List the set-up links of a domain. Links in order of creation, one page at a time, without their tokens. Links that have expired are listed for 30 days more. Permission: `environment.*.create_setup_link` or `environment.<environment_id>.create_setup_link`. */
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
    /** Set the brand of the workspace. Replaces the brand, the list of origins, or both; what is absent stays as it is. The pages of the edge show the brand within a second. Open pages show the new brand when they open their next session, within two minutes. Requests of an origin that is taken away are refused within a second; a stream that is open ends with its session, within two minutes. Permission: `setup.*.set_brand`. */
    setBrand(input: {
      brand?: NewBrand | undefined;
      /** Origins of pages that may use sessions of set-up links, such as `https://app.example.net`: https, or http on loopback. */
      origins?: Array<string> | undefined;
    }, options?: CallOptions): Promise<SetupPage>;
    /** Get the brand of the workspace. How the workspace appears on the pages of its set-up links, and which origins may use their sessions. Permission: `setup.*.read_brand`. */
    getBrand(input: Record<string, never>, options?: CallOptions): Promise<SetupPage>;
    /** Find out whether the DNS provider can publish the records. Asks the DNS provider of the domain whether it knows the template of this installation (Domain Connect). Returns a signed link to the page where the customer agrees. Without `offer`, the records are published by hand. Answers of providers are shared for ten minutes, refusals for one. Permission: `environment.*.read_domain` or `environment.<environment_id>.read_domain`. A session of a set-up link may call it for its domain. */
    getDomainConnect(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** The provider sends the browser back to the set-up page. Otherwise it closes its window, which is for a link in a new tab. Default: false. */
      return?: boolean | undefined;
    }, options?: CallOptions): Promise<DomainConnect>;
    /** Open a session of a set-up link. Exchanges the token of a set-up link for a session token, which is valid for two minutes. With it, `domains.getDomain`, `domains.watchDomain`, `domains.diagnoseDomain`, `domains.getCertificate`, `domains.verifyDomain` and `setup.getDomainConnect` work for the domain of the link, and for no other; with one of a support link, `domains.getSite`, `domains.diagnoseDomain`, `domains.getCertificate`, `domains.listEvents` and `usage.getUsage`. Needs no key. Browsers may call it from the page of the link, and from the origins of the workspace (`setup.setBrand`). */
    openSession(input: {
      /** The token of a set-up link: the part behind `#` in its `url`. */
      token: string;
    }, options?: CallOptions): Promise<{
      /** For `Authorization: Bearer …`. */
      sessionToken: string;
      /** From then on the session token does not work: open another session before. Unix time in milliseconds. */
      expiresAt: number;
      /** `setup`: the set-up page, for the owner of the domain. `support`: the page of the domain in the dashboard, read-only. More values may be added. */
      purpose: 'setup' | 'support' | (string & {});
      domain: Domain;
      brand: Brand;
      /** The set-up page; with `#` and the token of the link it is the `url` of the link. Absent where NAMEPLATE_PUBLIC_URL is not set. */
      pageUrl?: string;
    }>;
  };
  targets: {
    /** List the shared targets of the workspace. Hosts of the platform that the operator has given to this workspace (`nameplate targets add`), in order. Its customers lead their names there. Permission: `environment.*.use_shared_target`. */
    listTargets(input: Record<string, never>, options?: CallOptions): Promise<Array<SharedTarget>>;
  };
  projects: {
    /** Create a project. Creates a project in the workspace of the root key. Permission: `project.*.create_project`. */
    createProject(input: {
      /** Short name for use in requests, unique in its parent. */
      slug: string;
      /** Name for people. */
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
    /** List the projects of the workspace. Projects in order of creation, one page at a time. Permission: `project.*.read_project`. */
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
      /** Short name for use in requests, unique in its parent. */
      slug: string;
      /** Name for people. */
      name?: string | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new app. Begins with `app_`. */
      appId: string;
    }>;
    /** Get an app. Retrieves an app by its id, or by its slug and its project. Permission: `app.*.read_app` or `app.<app_id>.read_app`. */
    getApp(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
    }, options?: CallOptions): Promise<App>;
    /** List the apps of a project. Apps in order of creation, one page at a time. Permission: `app.*.read_app`. */
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
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
    }, options?: CallOptions): Promise<void>;
  };
  environments: {
    /** Create an environment. Creates an environment in an app. Permission: `environment.*.create_environment`. */
    createEnvironment(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
      /** Short name for use in requests, unique in its parent. */
      slug: string;
      /** Name for people. */
      name?: string | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new environment. Begins with `env_`. */
      environmentId: string;
    }>;
    /** Get an environment. Retrieves an environment by its id, or by its slug and its project and app. Permission: `environment.*.read_environment` or `environment.<environment_id>.read_environment`. */
    getEnvironment(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
    }, options?: CallOptions): Promise<Environment>;
    /** List the environments of an app. Environments in order of creation, one page at a time. Permission: `environment.*.read_environment`. */
    listEnvironments(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. */
      app: string;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<Environment>>;
    /** Delete an environment. Deletes an environment that has no domains. Its deployments go with it. Deleted domains that were in it cannot be restored any more. Permission: `environment.*.delete_environment` or `environment.<environment_id>.delete_environment`. */
    deleteEnvironment(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** If true, nothing is deleted while deleted domains of the environment can still be restored. */
      refuseRestorable?: boolean | undefined;
    }, options?: CallOptions): Promise<void>;
    /** Set how the edge sends requests to the origins of an environment. Changes what is given: null removes, and what is absent stays. The settings apply to every origin of the environment, from the next request within a second on. `secret: null` ends the secret at once; `environments.rotateOriginSecret` makes one. Permission: `environment.*.update_origin_settings` or `environment.<environment_id>.update_origin_settings`. */
    updateOriginSettings(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** `Host` that the origin gets: `visitor`, `origin` (the host of its URL), or a name. An https origin is then also asked for that name (SNI), and its certificate has to be for it. Null: `visitor`. */
      hostHeader?: string | null | undefined;
      /** The edge shows it to https origins (mTLS). Null: nothing is shown. */
      clientCertificate?: {
        /** PEM, with its chain. */
        certificate: string;
        /** Its private key, PEM, not encrypted. It is stored sealed and never shown. */
        privateKey: string;
      } | null | undefined;
      /** PEM. Only certificates below these CAs are accepted from https origins. Null: public CAs. */
      caCertificate?: string | null | undefined;
      /** If true, each request to an origin has the external id of its domain as `Nameplate-External-Id`, percent-encoded UTF-8 (`decodeURIComponent` decodes it). Visitors cannot send this field. */
      sendExternalId?: boolean | null | undefined;
      /** Null: no secret is sent any more. */
      secret?: null | undefined;
    }, options?: CallOptions): Promise<OriginSettings>;
    /** Get how the edge sends requests to the origins of an environment. Retrieves the settings, without the secret and the private key. Permission: `environment.*.read_origin_settings` or `environment.<environment_id>.read_origin_settings`. */
    getOriginSettings(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
    }, options?: CallOptions): Promise<OriginSettings>;
    /** Make a secret for the origins of an environment. Makes the first secret, or replaces it. The edge sends it with every request as `Nameplate-Edge-Secret`. During the overlap it sends the new one and the previous one, separated by a comma and a space. The secret is shown only once. Whoever may deploy to the environment can have it sent to their own server. Permission: `environment.*.update_origin_settings` or `environment.<environment_id>.update_origin_settings`. */
    rotateOriginSecret(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** How long the secret before is sent too; a day if absent. 0 if it has leaked. */
      overlapSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new secret. Begins with `npe_`. */
      secret: string;
      /** Until when the secret before is sent too, if there was one. Unix time in milliseconds. */
      previousExpiresAt: number;
    }>;
  };
  deployments: {
    /** Deploy to an environment. The deployment becomes the environment's current one: traffic to its domains goes to the origin. Permission: `environment.*.create_deployment` or `environment.<environment_id>.create_deployment`. */
    createDeployment(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
      app?: string | undefined;
      /** Id or slug of the environment. */
      environment: string;
      /** Where the traffic goes: an http or https URL of scheme, host and port only. */
      origin: string;
    }, options?: CreationOptions): Promise<{
      /** The new deployment. Begins with `dep_`. */
      deploymentId: string;
    }>;
    /** List the deployments of an environment. Deployments in order of creation, one page at a time. The environment names its current one. Permission: `environment.*.read_deployment` or `environment.<environment_id>.read_deployment`. */
    listDeployments(input: {
      /** Id or slug of the project. Needed only beside a slug; with an id, it is checked. */
      project?: string | undefined;
      /** Id or slug of the app. Needed only beside a slug; with an id, it is checked. */
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
    /** Create a webhook. From now on, events of all domains of the workspace are sent to the URL, signed with the secret, which is shown only once. Permission: `webhook.*.create_webhook`. Also `environment.*.read_domain` on all environments, for the URL and the types: the receiver gets the events of every domain. */
    createWebhook(input: {
      /** Where events are sent: an https URL, without user, password and fragment. Plain http, and addresses and names that are not public, only where the operator allows them. */
      url: string;
      /** Types of the events that are sent. `*`: all types, future ones too. */
      types?: Array<'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | '*'> | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new webhook. Begins with `wh_`. */
      webhookId: string;
      /** Receivers verify signatures with it. Begins with `whsec_`. */
      secret: string;
    }>;
    /** Get a webhook. Retrieves a webhook, without its secret. Permission: `webhook.*.read_webhook` or `webhook.<webhook_id>.read_webhook`. */
    getWebhook(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
    }, options?: CallOptions): Promise<Webhook>;
    /** List the webhooks of the workspace. Webhooks in order of creation, one page at a time. Permission: `webhook.*.read_webhook`. */
    listWebhooks(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<Webhook>>;
    /** Change a webhook. Changes the given properties. Waiting events go to the new URL. While a webhook is disabled, waiting events keep waiting, and later events are not sent to it at all. Once it is enabled, waiting events are sent at once. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. Also `environment.*.read_domain` on all environments, for the URL and the types: the receiver gets the events of every domain. */
    updateWebhook(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** Where events are sent: an https URL, without user, password and fragment. Plain http, and addresses and names that are not public, only where the operator allows them. */
      url?: string | undefined;
      /** Types of the events that are sent. `*`: all types, future ones too. */
      types?: Array<'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | '*'> | undefined;
      /** Whether events are sent. */
      enabled?: boolean | undefined;
    }, options?: CallOptions): Promise<Webhook>;
    /** Delete a webhook. Deletes the webhook with its secrets. Events that wait are not sent; a request in flight is finished. Permission: `webhook.*.delete_webhook` or `webhook.<webhook_id>.delete_webhook`. */
    deleteWebhook(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
    }, options?: CallOptions): Promise<void>;
    /** Rotate the secret of a webhook. Returns a new secret, which is shown only once. Requests are signed with both secrets until the previous one expires; one that an earlier rotation has replaced expires at once. So send an `Idempotency-Key`: if the response is lost, a repeat gets the same secret, and the one in use keeps signing. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. */
    rotateSecret(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** How long the previous secret also signs; a day if absent. 0 if it has leaked. */
      overlapSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<{
      /** The new secret. Begins with `whsec_`. */
      secret: string;
      /** Until when the previous secret also signs. Unix time in milliseconds. */
      previousExpiresAt: number;
    }>;
    /** Send a test event. Sends an event of the type `webhook.test` within seconds, whatever the webhook subscribes to. It is not repeated if it fails: webhooks.getDelivery says what the receiver responded. A workspace may send 60 a minute unless the operator sets another limit. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. */
    sendTest(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
    }, options?: CallOptions): Promise<{
      /** The delivery. Begins with `dlv_`. */
      deliveryId: string;
    }>;
    /** List the deliveries of a webhook. Deliveries, newest first, one page at a time: waiting ones, and the others with their results. A page takes the same time however many there are. They are kept for 14 days unless the operator sets another time. Permission: `webhook.*.read_webhook` or `webhook.<webhook_id>.read_webhook`. */
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
    /** Get a delivery. Retrieves a delivery with the body of the receiver's last response. Permission: `webhook.*.read_webhook` or `webhook.<webhook_id>.read_webhook`. */
    getDelivery(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** Id of the delivery (`dlv_…`). */
      deliveryId: string;
    }, options?: CallOptions): Promise<Delivery>;
    /** Send an event again. Sends the event of a delivery again, with the same `webhook-id` and content. This is a delivery of its own, which waits for no other. If the delivery still waits, it is attempted at once instead, or the earlier one of its domain for which it waits. A workspace may ask for 60 a minute unless the operator sets another limit. Permission: `webhook.*.update_webhook` or `webhook.<webhook_id>.update_webhook`. */
    redeliver(input: {
      /** Id of the webhook (`wh_…`). */
      webhookId: string;
      /** Id of the delivery (`dlv_…`). */
      deliveryId: string;
    }, options?: CallOptions): Promise<{
      /** The delivery that is due now. Begins with `dlv_`. */
      deliveryId: string;
    }>;
  };
  usage: {
    /** Get the usage of a domain. The usage of a domain, by hour or by day: requests, bytes, and errors of the edge and of the origin. It is written once a minute and kept for 90 days, also when the domain is deleted meanwhile: name it by its id then. Permission: `environment.*.read_usage` or `environment.<environment_id>.read_usage`. A session of a support link may call it for its domain. */
    getUsage(input: {
      /** Id (`dom_…`) or fully qualified name of the domain, in Unicode or Punycode. */
      domain: string;
      /** The first hour that counts is the first to begin then or later. Unix time in milliseconds. */
      from: number;
      /** The hours that begin before it count; now if absent. Unix time in milliseconds. */
      to?: number | undefined;
      /** `hour` if absent. Days are those of UTC. */
      resolution?: 'hour' | 'day' | undefined;
    }, options?: CallOptions): Promise<UsageHistory>;
    /** List the usage of all domains. The sums of each domain of the workspace, for bills. Domains with usage in this time are listed in the order of their first verification, one page at a time. Deleted domains are among them for 90 days. A page may have fewer items than `limit`, or none, and still a next page, so go on until `hasMore` is false. Permission: `environment.*.read_usage`. */
    listUsage(input: {
      /** The first hour that counts is the first to begin then or later. Unix time in milliseconds. */
      from: number;
      /** The hours that begin before it count; now if absent. Unix time in milliseconds. */
      to?: number | undefined;
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<DomainUsage>>;
  };
  audit: {
    /** List who changed what. The audit log of the workspace, newest first, one page at a time. It has each change by a caller of the API or a command of the operator, one entry for each thing changed. Results of checks are in domains.listEvents. Entries of things that were deleted stay. With a filter a page looks at a limited number of entries. It may have fewer items than `limit`, or none, and still a next page, so go on until `hasMore` is false. Entries are kept for a year unless the operator sets another time. Permission: `audit.*.read_entries`. */
    listEntries(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
      /** Only entries of this root key, set-up link or subject of a dashboard token. */
      actor?: string | undefined;
      /** Only entries of this operation or command. */
      action?: string | undefined;
      /** Only entries of what has, or had, this id or name. */
      target?: string | undefined;
    }, options?: CallOptions): Promise<Page<AuditEntry>>;
  };
  keys: {
    /** Create a root key. Makes a key of the workspace, which is shown only once. It can do no more than the caller: a permission that the caller lacks is refused. The key expires when the caller does, unless `expiresAt` is earlier. A permission on all resources of a kind (`*`) includes those on each. Revoking the caller later does not end the key: `createdBy` says which keys it made. Permission: `key.*.create_key`. */
    createKey(input: {
      /** Name for people. */
      name: string;
      /** The new key may do this. */
      permissions?: Array<string> | undefined;
      /** A set of permissions, in addition to `permissions`. */
      preset?: 'read-only' | 'support' | 'platform' | 'owner' | undefined;
      /** From then on the key is refused. Default: when the caller expires. Unix time in milliseconds. */
      expiresAt?: number | undefined;
    }, options?: CreationOptions): Promise<CreatedKey>;
    /** Get a root key. Retrieves a key by its id. Nobody can retrieve the secret. Permission: `key.*.read_key` or `key.<key_id>.read_key`. */
    getKey(input: {
      /** Id of the root key (`key_…`). */
      keyId: string;
    }, options?: CallOptions): Promise<RootKey>;
    /** List the root keys of the workspace. Keys in order of creation, one page at a time, without their secrets. Revoked keys are not listed. Permission: `key.*.read_key`. */
    listKeys(input: {
      /** Maximum number of items on the page; 100 if absent. */
      limit?: number | undefined;
      /** `pagination.cursor` of the previous page; absent for the first page. */
      cursor?: string | undefined;
    }, options?: CallOptions): Promise<Page<RootKey>>;
    /** Rotate a root key. Makes a key with the name, the permissions and the expiry of another one, which works until the overlap ends. The caller must have every permission of that key, and must not expire before it. A key can be rotated only once; after that, rotate its successor. Permission: `key.*.rotate_key` or `key.<key_id>.rotate_key`. */
    rotateKey(input: {
      /** Id of the root key (`key_…`). */
      keyId: string;
      /** How long the old key still works; a day if absent. 0 if it has leaked. */
      overlapSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<RotatedKey>;
    /** Revoke a root key. Deletes the key: it is refused within a second everywhere, and so are the dashboard tokens that it made. The caller may have fewer permissions than the key, since revoking gives nothing. Permission: `key.*.revoke_key` or `key.<key_id>.revoke_key`. */
    revokeKey(input: {
      /** Id of the root key (`key_…`). */
      keyId: string;
    }, options?: CallOptions): Promise<void>;
  };
  tokens: {
    /** Create a dashboard token. Exchanges the root key for a token that stands for one person, with some of its permissions. It is for pages that call the API for a person who signed in to yours. The token is sent like a root key. It works for two minutes at most, and no longer than the key: once that is revoked, disabled or expired, the token is refused too. It cannot make keys, tokens or workspaces. Permission: `token.*.create_token`. */
    createToken(input: {
      /** The person, as timelines and the audit log name them: an id of yours. Does not begin as ids of keys and links do. */
      subject: string;
      permissions?: Array<string> | undefined;
      /** How long the token works: 1 to 120 seconds. Default: 60. */
      expiresInSeconds?: number | undefined;
    }, options?: CreationOptions): Promise<CreatedToken>;
  };
  workspaces: {
    /** Create a workspace. Makes a workspace, such as one for each customer, with the project `main`, its app `web`, its environment `production`, and a first key. The key is shown only once. It can do no more than the caller, and has the permissions of the preset `platform` unless others are named. The new workspace is separate: it has its own names, keys and quotas, with the limits that this workspace has now. This workspace lists it, and sees inside it with that key alone. Permission: `workspace.*.create_workspace`. */
    createWorkspace(input: {
      /** Name for people. */
      name: string;
      /** The new key may do this. */
      permissions?: Array<string> | undefined;
      /** A set of permissions, in addition to `permissions`. */
      preset?: 'read-only' | 'support' | 'platform' | 'owner' | undefined;
    }, options?: CreationOptions): Promise<CreatedWorkspace>;
    /** List the workspaces that this workspace made. Workspaces in order of creation, one page at a time. Permission: `workspace.*.read_workspace`. */
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
  /** Short name for use in requests, unique in its parent. */
  slug: string;
  /** Name for people. */
  name?: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

interface AuditEntry {
  /** Entry. Begins with `aud_`. */
  id: string;
  /** When it was done. Unix time in milliseconds. */
  at: number;
  /** The operation, such as `domains.deleteDomain`, or command, such as `keys create`. */
  action: string;
  /** The credential of the caller. `command`: the operator ran a command on the server. */
  actorKind: 'root_key' | 'dashboard_token' | 'setup_link' | 'command' | (string & {});
  /** Id of the root key or set-up link, subject of the dashboard token; `operator` for a command. */
  actor: string;
  /** Address of the client; absent for a command. */
  from?: string;
  /** `meta.requestId` of the response; absent for a command. */
  requestId?: string;
  /** Id of what was changed; of a certificate, its name. */
  target: string;
  /** Its name or slug at that time, if it has one. */
  targetName?: string;
  /** The new values, in short. Properties depend on the action. Never a secret. */
  detail: Record<string, unknown>;
}

/** Why the edge does not serve the name with a valid certificate yet. Absent where it does: DNS may lead here. */
interface Blocker {
  /** `not_checked`: no check has completed. `not_verified`: its records are not in place. `verification_failed`: as the status `failed`. `not_ordered`: the certificate is about to be ordered. `ordering`: the order is in progress. The others are those of domains.getCertificate. More may be added. */
  reason: 'not_checked' | 'not_verified' | 'verification_failed' | 'not_ordered' | 'ordering' | 'no_address' | 'dns_unreadable' | 'address_not_public' | 'unreachable' | 'answered_by_another' | 'caa_forbids' | 'no_challenge_record' | 'challenge_elsewhere' | 'challenge_not_seen' | 'dns_servers_failing' | 'budget_spent' | 'ca_rate_limited' | 'ca_unavailable' | 'ca_account' | 'authorization_failed' | 'ca_refused' | 'not_issued_here' | (string & {});
  /** For people, from the domain or its certificate; absent while it makes normal progress. */
  message?: string;
  /** Since when; before it is verified, when the verification window began. Unix time in milliseconds. */
  since: number;
}

interface BoardGroup {
  /** `not_checked`: no check has completed. `not_verified`: its records are not in place. `verification_failed`: as the status `failed`. `not_ordered`: the certificate is about to be ordered. `ordering`: the order is in progress. The others are those of domains.getCertificate. More may be added. */
  reason: 'not_checked' | 'not_verified' | 'verification_failed' | 'not_ordered' | 'ordering' | 'no_address' | 'dns_unreadable' | 'address_not_public' | 'unreachable' | 'answered_by_another' | 'caa_forbids' | 'no_challenge_record' | 'challenge_elsewhere' | 'challenge_not_seen' | 'dns_servers_failing' | 'budget_spent' | 'ca_rate_limited' | 'ca_unavailable' | 'ca_account' | 'authorization_failed' | 'ca_refused' | 'not_issued_here' | (string & {});
  count: number;
  /** The domain that has had the reason for longest. */
  oldest: {
    /** Its name. */
    domain: string;
    /** For people, from the domain or its certificate; absent while it makes normal progress. */
    message?: string;
    /** Since when; before it is verified, when the verification window began. Unix time in milliseconds. */
    since: number;
  };
}

/** How the workspace appears to its customers. */
interface Brand {
  /** Name of the platform. */
  name?: string;
  /** Image as a `data:` URL in base64: PNG, WebP, JPEG or SVG, at most 64 KiB. */
  logo?: string;
  /** Colour of buttons and links on a light background, such as `#1d5fd1`. */
  accent?: string;
  /** The same on a dark background; `accent` unless given. */
  accentDark?: string;
  /** Where customers get help: a `mailto:` or `https:` URL. */
  support?: string;
}

/** The certificate of the server that the name moves from, as domains.uploadCertificate takes it with `managed`. The domain has it from its first moment on, so none is ordered. If anything is wrong with it, the name is refused. The key needs `update_domain` on the environment. */
interface BroughtCertificate {
  /** PEM: the certificate of the name, and the intermediate ones above it, in any order. A root among them is left out. */
  certificates: string;
  /** Its private key, PEM, not encrypted: RSA of 2048 to 4096 bits, P-256 or P-384. It is stored sealed and never shown. */
  privateKey: string;
}

interface Certificate {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** `none`: it is ordered once the domain is verified, or its ownership and challenge records are found. `wanted`: about to be ordered. `waiting_for_routing`: validation would fail at the CA, so nothing is ordered yet. `ordering`: an order is in progress at the CA; a `problem` is what the CA said of the order before. `issued`: in use. `renewing`: in use, and its successor is being ordered. `failed`: the CA did not issue it; the order is retried. */
  state: 'none' | 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed' | (string & {});
  problem?: CertificateProblem;
  /** How the CA validated the name for the last order, or validates it for one that is in progress. Chosen anew for each order by what is there. Absent before the first, and where the CA validates nothing. */
  challenge?: 'http-01' | 'dns-01' | 'tls-alpn-01' | (string & {});
  /** Attempts that failed in a row. */
  failures: number;
  /** Time of the next attempt to order or renew it; absent during an attempt, and in `none`. Unix time in milliseconds. */
  nextTryAt?: number;
  selfCheck?: CertificateSelfCheck;
  issued?: IssuedCertificate;
  staged?: StagedCertificate;
  /** When it was first wanted; absent in `none`. Unix time in milliseconds. */
  createdAt?: number;
}

interface CertificateChange {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `certificate.*` and `site.ready_to_switch`: the certificate. */
  certificate: {
    /** As in domains.getCertificate. */
    state: string;
    /** The reason that blocks it, for programs. */
    reason?: string;
    /** The reason, for people. */
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
  /** The reason that blocks the certificate, for programs. More values may be added. */
  reason: 'no_address' | 'dns_unreadable' | 'address_not_public' | 'unreachable' | 'answered_by_another' | 'caa_forbids' | 'no_challenge_record' | 'challenge_elsewhere' | 'challenge_not_seen' | 'dns_servers_failing' | 'budget_spent' | 'ca_rate_limited' | 'ca_unavailable' | 'ca_account' | 'authorization_failed' | 'ca_refused' | 'not_issued_here' | (string & {});
  /** The cause, its place and its fix. */
  message: string;
  /** Since when it blocks the certificate. Unix time in milliseconds. */
  at: number;
}

/** When it will be renewed; where it is imported, when a managed one takes its place. */
interface CertificateRenewal {
  /** `ari`: suggested by the CA (RFC 9773). `lifetime`: a third of the lifetime is left. */
  source: 'ari' | 'lifetime' | (string & {});
  /** Beginning of the window. Unix time in milliseconds. */
  startsAt: number;
  /** Its end. Unix time in milliseconds. */
  endsAt: number;
  /** The moment in the window at which this certificate is renewed. Unix time in milliseconds. */
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

/** The last test request to the name over HTTP, made before a CA is contacted; absent before the first. */
interface CertificateSelfCheck {
  /** When it was made. Unix time in milliseconds. */
  at: number;
  answers: Array<{
    /** IP address that the name resolves to. */
    address: string;
    /** `ours`: the edge responded. `another`: another server did. `not_public`: not a public address, so it was not contacted. */
    outcome: 'ours' | 'another' | 'unreachable' | 'not_public' | (string & {});
    /** The response that was seen instead. */
    seen?: string;
  }>;
}

/** An optional record: with it and the TXT record, the certificate is ordered before the domain is verified. Absent where the service has no zone for challenges; a wildcard has it among its `dnsRecords`. */
interface ChallengeRecord {
  /** ALIAS: what DNS providers call ALIAS, ANAME or CNAME flattening; apex domains need it in place of CNAME. */
  type: 'CNAME' | 'ALIAS' | 'TXT' | (string & {});
  /** Fully qualified name of the record. */
  name: string;
  /** Exact value to publish. */
  value: string;
  /** Seconds a resolver may cache the record. */
  ttl: number;
  /** Whether the record was found with the expected value. */
  verified: boolean;
  /** The purpose of the record. */
  note?: string;
}

interface ConflictingRecord {
  /** The record of the domain that cannot be published while this one is there. */
  record: 'routing' | 'ownership' | (string & {});
  /** Type of the record that is there. */
  type: 'CNAME' | 'A' | 'AAAA' | (string & {});
  /** Its name. */
  name: string;
  /** Its name as the DNS provider shows it. */
  nameInZone: string;
  /** Its values: text from the DNS, as it is. */
  values: Array<string>;
}

/** With `withWww`: the domain that redirects to the new one. */
interface Counterpart {
  /** The second domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** The DNS records the domain needs: the same values for as long as it exists. */
  dnsRecords: Array<DnsRecord>;
}

interface CreatedKey {
  /** The new key. Begins with `key_`. */
  keyId: string;
  /** The root key, shown this once. Begins with `np_`. */
  key: string;
  /** From then on it is refused; absent if it does not expire. Unix time in milliseconds. */
  expiresAt?: number;
}

interface CreatedToken {
  /** For `Authorization: Bearer …`. */
  token: string;
  /** From then on the token is refused. Unix time in milliseconds. */
  expiresAt: number;
}

interface CreatedWorkspace {
  /** The new workspace. Begins with `ws_`. */
  workspaceId: string;
  /** Its environment. Begins with `env_`. */
  environmentId: string;
  /** The new key. Begins with `key_`. */
  keyId: string;
  /** The root key, shown this once. Begins with `np_`. */
  key: string;
}

interface Delivery {
  /** The delivery. Begins with `dlv_`. */
  id: string;
  /** Its webhook. Begins with `wh_`. */
  webhookId: string;
  /** The event: `webhook-id` of the request, the same in every attempt and repetition. Begins with `evt_`. */
  eventId: string;
  /** Type of the event. */
  type: 'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | 'webhook.test' | (string & {});
  /** The domain that the event is about; absent in a test. Begins with `dom_`. */
  domainId?: string;
  /** Its name. */
  domain?: string;
  /** `waiting` for its next attempt, or for an earlier event of the domain; `failed`: given up after three days. */
  state: 'waiting' | 'delivered' | 'failed' | (string & {});
  /** Attempts made. */
  attempts: number;
  lastAttempt?: DeliveryAttempt;
  /** When the next attempt is due; absent if it waits for an earlier event, or for the webhook to be enabled. Unix time in milliseconds. */
  nextAttemptAt?: number;
  /** When the event happened. Unix time in milliseconds. */
  happenedAt: number;
  /** When the delivery was added: with the event, or when it was asked for. Unix time in milliseconds. */
  createdAt: number;
  /** When it was delivered or given up. Unix time in milliseconds. */
  finishedAt?: number;
}

interface DeliveryAttempt {
  /** When it began. Unix time in milliseconds. */
  at: number;
  /** How long it took, in milliseconds. */
  durationMs: number;
  /** HTTP status of the response; absent if there was none. */
  status?: number;
  /** Why it failed; absent if it did not. */
  error?: string;
  /** Body of the response, at most 64 KiB; of the 100 newest responses of the webhook that delivered nothing. In `getDelivery` alone. */
  response?: string;
}

interface Deployment {
  /** The deployment. Begins with `dep_`. */
  id: string;
  /** Its environment. Begins with `env_`. */
  environmentId: string;
  /** Where the traffic goes: scheme, host and port. */
  origin: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

interface Diagnosis {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** Its status, as in domains.getDomain. A diagnosis does not change it. */
  status: 'pending' | 'verifying' | 'verified' | 'failed' | (string & {});
  /** When the DNS was asked; with `cached`, since when checks have found this. Absent before the first check. Unix time in milliseconds. */
  checkedAt?: number;
  schedule: DiagnosisSchedule;
  zone?: DiagnosisZone;
  /** The records the domain needs, and what is there. */
  records: Array<DiagnosisRecord>;
  challengeRecord?: DiagnosisRecord;
  redirect?: Redirect;
  suspension?: Suspension;
  /** The mistakes, the most important first. */
  findings: Array<Finding>;
}

interface DiagnosisChange {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about this record. In `site.unreachable`: why, where the owner of the domain can change that. At most 8 KiB: those that do not fit are left out. */
  findings: Array<Finding>;
}

interface DiagnosisChangedEvent {
  type: 'diagnosis.changed';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: DiagnosisChange;
}

interface DiagnosisRecord {
  /** `routing`: the CNAME or ALIAS record. `ownership`: the TXT record. `challenge`: the CNAME record that the certificate of a wildcard needs. */
  record: 'routing' | 'ownership' | 'challenge' | (string & {});
  /** Type to publish. */
  type: 'CNAME' | 'ALIAS' | 'TXT' | (string & {});
  /** Fully qualified name of the record. */
  name: string;
  /** The name as it is entered at the DNS provider. */
  nameInZone: string;
  /** Exact value to publish. */
  expected: string;
  /** The value as it is entered at the DNS provider: `expected`. It has a final dot where the provider would append the zone otherwise. */
  valueInZone: string;
  /** For an ALIAS record, the addresses to publish instead, where the provider has no such record. Absent if unknown. */
  addresses?: Array<string>;
  /** Whether this look found it with that value; with `cached`, whether the last check did. */
  verified: boolean;
  /** `yes`: the domain needs it. `no`: it does not, as things are. `alternative`: it verifies the domain if the other record cannot be read back, as behind a proxy. */
  needed: 'yes' | 'no' | 'alternative' | (string & {});
  /** The answers of each nameserver that was asked; empty with `cached`. */
  seen: Array<{
    /** Host name of the nameserver; address of a resolver. */
    nameserver: string;
    /** `matched`: the expected value is there. `other`: other values are. `changing`: two answers differed. `nxdomain`: the name does not exist. `nodata`: it has no such record. Otherwise why the nameserver did not answer. */
    outcome: 'matched' | 'other' | 'changing' | 'nxdomain' | 'nodata' | 'no_address' | 'timeout' | 'unreachable' | 'tcp_failed' | 'servfail' | 'refused' | 'lame' | 'malformed' | 'inconsistent' | 'loop' | 'chain_too_long' | 'no_nameserver' | 'forbidden_address' | 'overloaded' | 'no_resolver' | 'too_many_queries' | (string & {});
    /** Its values. Of a TXT record, the texts. Of a routing record, the names that its CNAMEs lead to, in order, or addresses where there is no CNAME. */
    values: Array<string>;
    /** For a TXT record, the names that a CNAME at its name leads to, in order; absent where there is none. */
    cname?: Array<string>;
  }>;
  /** A resolver that still has another answer than the nameservers; absent if none is known. */
  visible?: {
    /** Address of the resolver. */
    resolver: string;
    /** When its cached answer expires. Unix time in milliseconds. */
    until: number;
  };
}

/** The background checks of the domain. */
interface DiagnosisSchedule {
  /** Checks begun in this window; of a verified domain, since it was verified. */
  attempts: number;
  /** When the last check began; absent before the first. Unix time in milliseconds. */
  lastCheckAt?: number;
  /** When the next check is due; absent when none is. Unix time in milliseconds. */
  nextCheckAt?: number;
  /** When the domain fails unless it is verified; absent when no window runs. Unix time in milliseconds. */
  windowEndsAt?: number;
}

/** The DNS zone that the name is in. */
interface DiagnosisZone {
  /** Name of the zone; of one that is not registered, the name that could be. */
  name: string;
  /** False if the zone above it says that the domain does not exist. */
  registered: boolean;
  /** The nameservers that the zone above it names. */
  nameservers: Array<{
    /** Host name. */
    name: string;
    /** Its addresses that may be asked. */
    addresses: Array<string>;
    /** `answered`, `not_asked`, or why it could not be asked or did not answer. */
    outcome: 'answered' | 'not_asked' | 'no_address' | 'timeout' | 'unreachable' | 'tcp_failed' | 'servfail' | 'refused' | 'lame' | 'malformed' | 'inconsistent' | 'loop' | 'chain_too_long' | 'no_nameserver' | 'forbidden_address' | 'overloaded' | 'no_resolver' | 'too_many_queries' | (string & {});
  }>;
  /** Who runs the nameservers; absent if unknown. */
  provider?: {
    /** For programs, such as `cloudflare`. */
    id: string;
    /** For people. */
    name: string;
    /** URL where its DNS records are edited. */
    panel?: string;
  };
  /** `bogus`: signatures do not verify, so validating resolvers answer nothing. Absent if unknown. */
  dnssec?: 'unsigned' | 'secure' | 'bogus' | (string & {});
}

interface DnsRecord {
  /** ALIAS: what DNS providers call ALIAS, ANAME or CNAME flattening; apex domains need it in place of CNAME. */
  type: 'CNAME' | 'ALIAS' | 'TXT';
  /** Fully qualified name of the record. */
  name: string;
  /** Exact value to publish. */
  value: string;
  /** Seconds a resolver may cache the record. */
  ttl: number;
  /** Whether the record was found with the expected value. */
  verified: boolean;
  /** The purpose of the record. */
  note?: string;
}

interface Domain {
  /** Begins with `dom_`. */
  id: string;
  /** Canonical name: lower case, Punycode. */
  domain: string;
  /** Project of the domain's environment. Begins with `proj_`. */
  projectId: string;
  /** App of the domain's environment. Begins with `app_`. */
  appId: string;
  /** Environment that the domain is attached to. Begins with `env_`. */
  environmentId: string;
  /** `pending` until a check has completed, then `verifying` until the records prove the domain: `verified`. `failed`: they did not within 24 hours, or the domain was lost later; `verificationError` says why. */
  status: 'pending' | 'verifying' | 'verified' | 'failed';
  /** Why the domain failed, or what keeps it from being verified. Records that are merely missing are not reported while checks run. */
  verificationError?: string;
  /** The DNS records the domain needs: the same values for as long as it exists. */
  dnsRecords: Array<DnsRecord>;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Last change; absent if there was none. Unix time in milliseconds. */
  updatedAt?: number;
}

/** The domain after the change. */
interface DomainChange {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
}

interface DomainConnect {
  offer?: DomainConnectOffer;
}

interface DomainConnectOffer {
  /** Name of the provider, as it says itself: text of a stranger. */
  provider: string;
  /** Where the link leads. Show it beside the name. */
  host: string;
  /** Where the customer logs in and agrees; https. */
  url: string;
  /** With `return`: the provider sends it back as the parameter `state`. */
  state?: string;
}

/** How many domains there are. More properties may be added. */
interface DomainCounts {
  total: number;
  byStatus: {
    pending: number;
    verifying: number;
    verified: number;
    failed: number;
  };
  /** By the state of the certificate, as in domains.listWorkspaceDomains. More states may be added. */
  byCertificate: {
    none: number;
    wanted: number;
    waiting_for_routing: number;
    ordering: number;
    issued: number;
    renewing: number;
    failed: number;
  };
  /** When they were counted. Unix time in milliseconds. */
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
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `domain.deleted`: why, where domains.deleteDomain was not called for it. */
  deletion?: {
    /** `replaced`: domains.createDomain with `replaceUnverified` put another domain of its name in its place. More values may be added. */
    reason: 'replaced' | (string & {});
    /** The domain that took its place. Begins with `dom_`. */
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
  /** Type of the event. `diagnosis.changed`: other mistakes in its DNS than the last event reported, or no mistakes are left; at most one in ten minutes. `domain.drifted`: a verified domain no longer leads here, and `domain.recovered`: it does again. `domain.restored`: it was deleted, and is there again as before. `domain.superseded`: another workspace proved that it owns the name. `site.ready_to_switch`: the domain is not verified, and its certificate is in use, so its records may be switched. `site.live`: visitors reach the site at every address, and `site.unreachable`: they no longer do at any. More values may be added. */
  type: 'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | (string & {});
  /** When it happened. Unix time in milliseconds. */
  at: number;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  data: DomainEventData;
}

/** The domain after the change, and what changed. */
interface DomainEventData {
  /** Its status. */
  status: 'pending' | 'verifying' | 'verified' | 'failed' | (string & {});
  /** Whether the routing record was in place. */
  routingVerified: boolean;
  /** Whether the ownership record was in place. */
  ownershipVerified: boolean;
  /** As in domains.getDomain. */
  verificationError?: string;
  /** In `record.seen` and `record.lost`: the record. */
  record?: 'routing' | 'ownership' | (string & {});
  /** In the same: the values that were there, text from the DNS as it is. */
  seen?: Array<string>;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about this record. In `site.unreachable`: why, where the owner of the domain can change that. At most 8 KiB: those that do not fit are left out. */
  findings?: Array<Finding>;
  /** In `certificate.*` and `site.ready_to_switch`: the certificate. */
  certificate?: {
    /** As in domains.getCertificate. */
    state: string;
    /** The reason that blocks it, for programs. */
    reason?: string;
    /** The reason, for people. */
    message?: string;
    /** The issuer of the certificate in use. */
    issuer?: string;
    /** When the certificate in use expires. Unix time in milliseconds. */
    notAfter?: number;
  };
  /** In `redirect.*`: the redirect. */
  redirect?: {
    /** Name of the domain that it leads, or led, to. */
    to: string;
    /** The status of the response: 308 keeps the method and the body of a request; after 301, browsers send GET in place of POST. */
    status: 301 | 308 | (number & {});
    /** In `redirect.removed`: `requested`, or that the domain it led to was deleted, is no longer verified, or was taken over by another workspace. More values may be added. */
    reason?: 'requested' | 'destination_deleted' | 'destination_failed' | 'destination_superseded' | (string & {});
  };
  /** In `domain.moved`: from where to where. */
  move?: {
    /** The environment that it left. Begins with `env_`. */
    from: string;
    /** The environment that it has been in since. Begins with `env_`. */
    to: string;
  };
  /** In `domain.deleted`: why, where domains.deleteDomain was not called for it. */
  deletion?: {
    /** `replaced`: domains.createDomain with `replaceUnverified` put another domain of its name in its place. More values may be added. */
    reason: 'replaced' | (string & {});
    /** The domain that took its place. Begins with `dom_`. */
    by: string;
  };
  /** In `domain.suspended`; in `domain.resumed`: what it was. */
  suspension?: {
    /** The status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other. */
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
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about this record. In `site.unreachable`: why, where the owner of the domain can change that. At most 8 KiB: those that do not fit are left out. */
  findings?: Array<Finding>;
}

interface DomainMove {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `domain.moved`: from where to where. */
  move: {
    /** The environment that it left. Begins with `env_`. */
    from: string;
    /** The environment that it has been in since. Begins with `env_`. */
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
  /** Canonical name. For a text that is not a domain name: its first 253 characters, with invisible ones escaped. */
  domain: string;
  /** The new domain; with a conflict, the one that the environment already has under this name. Begins with `dom_`. */
  domainId?: string;
  /** The DNS records the domain needs: the same values for as long as it exists. */
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
  /** Its name; absent once it is deleted. */
  domain?: string;
  /** Requests, and WebSockets. */
  requests: number;
  /** Bytes of content that its visitors sent, without header fields. */
  bytesIn: number;
  /** Bytes of content that its visitors were sent, without header fields. */
  bytesOut: number;
  /** Responses with status 5xx that the edge gave itself, such as those for an origin that is down. */
  edgeErrors: number;
  /** Responses with status 5xx of the origin. */
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
  /** Short name for use in requests, unique in its parent. */
  slug: string;
  /** Name for people. */
  name?: string;
  /** The deployment that takes the traffic; absent before the first. Begins with `dep_`. */
  currentDeploymentId?: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

/** Code of an error. More codes may be added. */
type ErrorCode = 'authentication/missing' | 'authentication/malformed' | 'authentication/key_not_found' | 'authentication/setup_link_not_found' | 'authentication/setup_link_incomplete' | 'authentication/setup_link_expired' | 'authentication/setup_link_revoked' | 'authentication/dashboard_link_not_found' | 'authentication/dashboard_signed_out' | 'authorization/key_disabled' | 'authorization/workspace_disabled' | 'authorization/insufficient_permissions' | 'authorization/exceeds_caller' | 'authorization/root_key_required' | 'authorization/forbidden' | 'authorization/setup_session' | 'authorization/setup_workspace_disabled' | 'authorization/origin_not_allowed' | 'validation/invalid_input' | 'data/domain_not_found' | 'data/redirect_destination_not_found' | 'data/target_not_found' | 'data/environment_not_found' | 'data/app_not_found' | 'data/project_not_found' | 'data/webhook_not_found' | 'data/key_not_found' | 'data/delivery_not_found' | 'data/setup_link_not_found' | 'data/domain_already_exists' | 'data/project_already_exists' | 'data/app_already_exists' | 'data/environment_already_exists' | 'application/precondition_failed' | 'application/domain_superseded' | 'application/environment_deleted' | 'application/domains_restorable' | 'application/domain_not_verified' | 'application/redirect_destination_not_verified' | 'application/redirect_chain' | 'application/key_not_rotatable' | 'application/webhook_disabled' | 'application/public_url_missing' | 'application/sealing_unavailable' | 'request/route_not_found' | 'request/page_not_built' | 'request/method_not_allowed' | 'request/not_acceptable' | 'request/body_too_large' | 'request/header_too_large' | 'request/idempotency_key_in_flight' | 'request/idempotency_key_reused' | 'request/timeout' | 'limits/rate_limited' | 'limits/overloaded' | 'limits/too_many_watchers' | 'limits/custom_domain_limit_exceeded' | 'limits/redirect_limit_exceeded' | 'limits/webhook_limit_exceeded' | 'limits/setup_link_limit_exceeded' | 'application/internal' | (string & {});

/** The managed certificate that is kept behind an imported one; absent where there is none. */
interface FallbackCertificate {
  /** The CA's directory URL, or `internal`. */
  issuer: string;
  /** Beginning of its validity. Unix time in milliseconds. */
  notBefore: number;
  /** End of its validity. Unix time in milliseconds. */
  notAfter: number;
}

/** One mistake in the DNS of a name, or something worth knowing. */
interface Finding {
  /** The kind of mistake, for programs. Each code has a page at `/docs/findings/{code}`. More values may be added. */
  code: 'record_missing' | 'name_doubled' | 'record_at_other_name' | 'cname_at_txt_name' | 'records_swapped' | 'wrong_type' | 'cname_elsewhere' | 'cname_other_target' | 'value_doubled_zone' | 'value_is_url' | 'value_is_address' | 'value_whitespace' | 'value_quoted' | 'value_is_txt' | 'cname_loop' | 'cname_chain_too_long' | 'cname_to_broken_zone' | 'address_instead_of_cname' | 'conflicting_records' | 'proxied_without_txt' | 'txt_missing' | 'txt_wrong_value' | 'txt_quoted' | 'txt_case' | 'txt_invisible' | 'txt_encoded' | 'txt_stale' | 'txt_other_domain' | 'txt_truncated' | 'wildcard_answers' | 'cname_at_apex' | 'apex_elsewhere' | 'flattened' | 'proxied' | 'name_not_punycode' | 'zone_not_registered' | 'zone_parked' | 'zone_elsewhere' | 'delegation_mismatch' | 'nameservers_disagree' | 'record_below_cut' | 'resolvers_unreachable' | 'nameserver_refused' | 'nameserver_lame' | 'nameserver_servfail' | 'nameserver_timeout' | 'nameserver_not_found' | 'nameserver_unreachable' | 'nameserver_private' | 'nameserver_tcp' | 'nameserver_malformed' | 'dnssec_bogus' | 'caa_forbids' | 'held_elsewhere' | 'stale_cache' | 'other_certificate' | 'certificate_expired_outside' | 'tls_unreachable' | 'challenge_missing' | 'challenge_elsewhere' | 'challenge_proxied' | (string & {});
  /** `blocking`: the domain is not verified, or not served, until it is fixed. */
  severity: 'blocking' | 'warning' | 'info' | (string & {});
  /** `routing`: the CNAME or ALIAS record. `ownership`: the TXT record. `challenge`: the CNAME record that the certificate of a wildcard needs. */
  record?: 'routing' | 'ownership' | 'challenge' | (string & {});
  /** Name at which it was seen. */
  name?: string;
  /** The values that are there: text from the DNS, as it is. */
  seen?: Array<string>;
  /** The value that belongs there. */
  expected?: string;
  /** Where it was seen. */
  nameservers?: Array<string>;
  action?: FindingAction;
  second?: FindingAction;
  facts?: FindingFacts;
  /** The mistake, in whole English sentences, made of the other fields. */
  message: string;
  /** The fix, in English; empty if there is nothing to do. */
  fix: string;
  /** Whether it may go away without a change of the records. */
  retryable: boolean;
}

/** The fix, for programs; absent if there is nothing to do. */
interface FindingAction {
  /** The kind of change. `add`, `change`, `replace` (delete the records of the types in `removes` at this name first) and `delete` concern a record. `wait`: nothing has to be changed. `ask`: ask the operator of the nameservers. `create_zone`: create the zone at that provider. `register`: register the domain. `recreate`: delete the domain here and add it again. `repair`: the server that visitors reach. More values may be added. */
  kind: 'add' | 'change' | 'replace' | 'delete' | 'wait' | 'ask' | 'create_zone' | 'register' | 'recreate' | 'repair' | (string & {});
  /** Where: in the zone at its DNS provider, at its registrar, in the parent zone, or at the server that visitors reach. More values may be added. */
  at: 'zone' | 'registrar' | 'zone_above' | 'server' | (string & {});
  /** Name of the zone. */
  zone: string;
  /** Its DNS provider; absent if unknown. */
  provider?: string;
  /** Type of the record. */
  type?: 'CNAME' | 'TXT' | 'ALIAS' | 'CAA' | 'NS' | 'DS' | (string & {});
  /** The provider's name for an ALIAS record; absent if unknown. */
  typeInZone?: string;
  /** Fully qualified name of the record. */
  name?: string;
  /** The name as it is entered at the provider; empty: nothing is entered. */
  nameInZone?: string;
  /** Exact value. */
  value?: string;
  /** The value as it is entered there. */
  valueInZone?: string;
  /** Addresses to publish in place of an ALIAS record. */
  addresses?: Array<string>;
  /** The flags of a CAA record. */
  flags?: string;
  /** The tag of a CAA record. */
  tag?: string;
  /** Types of the records that are deleted at this name. */
  removes?: Array<string>;
}

/** Facts that the sentences mention besides the other fields. */
interface FindingFacts {
  /** Which case of the code it is. More values may be added. */
  reason?: 'nxdomain' | 'nodata' | 'no_address' | 'values_swapped' | 'names_swapped' | 'wildcard_cname' | 'wildcard_address' | 'wildcard_txt' | 'hidden_by_proxy' | 'hidden_by_flattening' | 'txt_verifies' | 'txt_needed' | 'beginning_missing' | 'end_missing' | 'text_beside' | 'text_before' | 'other_character' | 'other_values' | 'name_not_added' | 'signature_expired' | 'signature_not_yet_valid' | 'key_missing' | 'signature_missing' | 'proof_missing' | 'older_claim' | 'nameservers_silent' | 'other_records_left' | 'both_needed' | 'some_asked' | 'registration_ended' | 'record_there' | 'timeout' | 'unreachable' | 'tcp_failed' | 'servfail' | 'refused' | 'lame' | 'malformed' | 'inconsistent' | 'loop' | 'chain_too_long' | 'no_nameserver' | 'forbidden_address' | 'overloaded' | 'no_resolver' | 'too_many_queries' | 'answered_by_another' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_not_yet_valid' | 'certificate_untrusted' | 'address_not_public' | 'connection_refused' | 'tls_failed' | 'no_response' | 'no_route' | (string & {});
  /** Unread: the whole zone, some of its nameservers, which nameservers it has, or one name alone. */
  scope?: 'zone' | 'some' | 'delegation' | 'name' | (string & {});
  /** A zone of its own. */
  zone?: string;
  /** The zone from which it was delegated. */
  zoneAbove?: string;
  /** Who runs the `nameservers`. */
  provider?: string;
  /** Who runs those in `seen`. */
  seenProvider?: string;
  /** The host that it is about: one of `seen`, or the target. */
  host?: string;
  /** Who proxies the name. */
  proxy?: string;
  /** Where the other record is. */
  otherName?: string;
  /** The domain of this workspace that the value belongs to. */
  owner?: string;
  /** First character of the value that differs. */
  difference?: {
    /** Counted in characters, from 1. */
    position?: number;
    /** The character that is there; absent: none. */
    found?: string;
    /** The character that belongs there; absent: none. */
    expected?: string;
  };
  /** There are quotation marks around the value too. */
  isQuoted?: boolean;
  /** With a correct CNAME record, it is not needed. */
  isOptional?: boolean;
  /** The answers of each nameserver, one for each look. */
  answers?: Array<{
    /** Host name. */
    nameserver: string;
    /** Whether it has the right record. */
    matches: boolean;
    looks: Array<{
      /** The names that its CNAMEs lead to, in order. */
      cname: Array<string>;
      /** TXT values, or addresses. */
      values: Array<string>;
      /** Other records at the name. */
      beside: Array<string>;
      /** A CNAME to itself. */
      isLoop?: boolean;
    }>;
  }>;
  /** Nameservers that the zone itself does not name. */
  onlyDelegated?: Array<string>;
  /** Nameservers that only the zone itself names. */
  onlyInZone?: Array<string>;
  /** When caches have expired. Unix time in milliseconds. */
  until?: number;
  /** How long a failure may stay in caches. */
  ttlSeconds?: number;
}

/** `Strict-Transport-Security` of its HTTPS responses. */
interface Hsts {
  /** Seconds for which browsers keep to HTTPS; 0 ends a policy that they have kept. */
  maxAge: number;
  /** Whether the policy covers every name below this one, those too that are served elsewhere: browsers reach none of them over HTTP any more. For the customer's apex domain this is the customer's decision. */
  includeSubDomains?: boolean;
  /** Whether browsers may have the name built in, which takes months to undo. Needs `includeSubDomains` and a `maxAge` of at least 31536000. */
  preload?: boolean;
}

/** The certificate in use; absent before the first. It stays in use until it is replaced. After a takeover the name is served with the certificate of its former domain until there is one. */
interface IssuedCertificate {
  /** The CA's directory URL; `internal` for the internal CA, `imported` or `moved` for a certificate that was uploaded. */
  issuer: string;
  /** `managed`: Nameplate ordered it. `imported`: its owner brought it (domains.uploadCertificate). `moved`: the same, with `managed`: Nameplate renews it. */
  source: 'managed' | 'imported' | 'moved' | (string & {});
  fallback?: FallbackCertificate;
  /** In hexadecimal. */
  serialNumber: string;
  /** SHA-256 of the certificate. */
  fingerprint: string;
  /** Beginning of its validity. Unix time in milliseconds. */
  notBefore: number;
  /** End of its validity. Unix time in milliseconds. */
  notAfter: number;
  /** When it was put into use. Unix time in milliseconds. */
  issuedAt: number;
  renewal: CertificateRenewal;
}

/** The site as it was seen from outside, about once an hour, and every six hours once it has been live for a day. Absent until the first look after the domain is verified. A state that is worse counts when two looks in a row have seen it. */
interface Live {
  /** `live`: visitors reach the site at every address of the name. `partly_live`: at some of them. `unreachable`: at none. More may be added. */
  state: 'live' | 'partly_live' | 'unreachable' | (string & {});
  /** Why visitors do not reach the site; more may be added. */
  problem?: 'no_address' | 'answered_by_another' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_not_yet_valid' | 'certificate_untrusted' | 'address_not_public' | 'connection_refused' | 'tls_failed' | 'no_response' | 'timeout' | 'no_route' | (string & {});
  /** The addresses that were looked at: eight at most. */
  addresses: Array<{
    /** IPv4 or IPv6. */
    address: string;
    /** Why visitors do not reach the site; more may be added. */
    problem?: 'no_address' | 'answered_by_another' | 'certificate_wrong_name' | 'certificate_expired' | 'certificate_not_yet_valid' | 'certificate_untrusted' | 'address_not_public' | 'connection_refused' | 'tls_failed' | 'no_response' | 'timeout' | 'no_route' | (string & {});
  }>;
  /** When it was first seen in this state. Unix time in milliseconds. */
  since: number;
  /** When it was seen last. Unix time in milliseconds. */
  checkedAt: number;
  /** The node that looked. */
  from: string;
}

interface NameCheck {
  /** The canonical name. For a name that is not valid: the text as it was sent, with invisible characters escaped. */
  domain: string;
  /** Whether domains.createDomain accepts the name. */
  valid: boolean;
  /** Why it is not valid. */
  problem?: {
    /** The rule that the name breaks. */
    message: string;
    /** The name to send instead, where that is certain. */
    fix?: string;
  };
  /** `apex`: the name is a whole registered domain, which cannot have a CNAME: it needs an ALIAS record. */
  kind?: 'apex' | 'subdomain' | (string & {});
  /** Whether this workspace has the domain already. The DNS is not asked then: use domains.diagnoseDomain. */
  held: boolean;
  zone?: DiagnosisZone;
  /** Records to replace by those of the domain once it is added: both cannot be there at the same time. */
  conflicts: Array<ConflictingRecord>;
  /** The CAA records that apply to the name; empty: every CA may issue. Absent if they could not be read. */
  caa?: Array<string>;
  /** The mistakes that would keep the domain from being verified or served, whatever its records. */
  findings: Array<Finding>;
}

interface NewBrand {
  /** Name of the platform. */
  name?: string;
  /** Image as a `data:` URL in base64: PNG, WebP, JPEG or SVG, at most 64 KiB. */
  logo?: string;
  /** Colour of buttons and links on a light background, such as `#1d5fd1`. */
  accent?: string;
  /** The same on a dark background; `accent` unless given. */
  accentDark?: string;
  /** Where customers get help: a `mailto:` or `https:` URL. */
  support?: string;
}

interface OriginSettings {
  /** The environment. Begins with `env_`. */
  environmentId: string;
  /** `Host` that the origin gets: `visitor` (the name that was asked for), `origin` (that of its URL), or a fixed name. `X-Forwarded-Host` is always the visitor's. */
  hostHeader: string;
  /** Absent: no secret is sent. The secret itself is shown only when it is made. */
  secret?: {
    /** Creation of the secret that is sent. Unix time in milliseconds. */
    createdAt: number;
    /** Until when the secret before is sent too. Unix time in milliseconds. */
    previousExpiresAt?: number;
  };
  /** Certificate that the edge shows to https origins, PEM. */
  clientCertificate?: string;
  /** Whether origins get `Nameplate-External-Id`. */
  sendExternalId: boolean;
  /** The CAs that certificates of https origins have to be of, PEM. Absent: public CAs. */
  caCertificate?: string;
}

/** Present if the name was refused. */
interface OutcomeError {
  title: string;
  /** Why this name was not attached. */
  detail: string;
  /** Status with which domains.createDomain would have responded. */
  status: number;
  type: string;
  errors?: Array<ValidationError>;
}

interface Project {
  /** The project. Begins with `proj_`. */
  id: string;
  /** Short name for use in requests, unique in its parent. */
  slug: string;
  /** Name for people. */
  name?: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
}

interface RecordChange {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `record.seen` and `record.lost`: the record. */
  record: 'routing' | 'ownership' | (string & {});
  /** In the same: the values that were there, text from the DNS as it is. */
  seen?: Array<string>;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about this record. In `site.unreachable`: why, where the owner of the domain can change that. At most 8 KiB: those that do not fit are left out. */
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

/** Where the requests for a domain are redirected to, while both domains are verified. */
interface Redirect {
  /** Canonical name of the domain that is redirected to. */
  to: string;
  /** The status of the response: 308 keeps the method and the body of a request; after 301, browsers send GET in place of POST. */
  status: 301 | 308 | (number & {});
  /** When it was set to this. Unix time in milliseconds. */
  setAt: number;
}

interface RedirectChange {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `redirect.*`: the redirect. */
  redirect: {
    /** Name of the domain that it leads, or led, to. */
    to: string;
    /** The status of the response: 308 keeps the method and the body of a request; after 301, browsers send GET in place of POST. */
    status: 301 | 308 | (number & {});
    /** In `redirect.removed`: `requested`, or that the domain it led to was deleted, is no longer verified, or was taken over by another workspace. More values may be added. */
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
  /** Name for people; may be empty. */
  name: string;
  /** First characters of the key, to tell keys apart. */
  start: string;
  /** It may do this. */
  permissions: Array<string>;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Id of the key that made it, even if that key is gone; absent if the operator or another workspace did. */
  createdBy?: string;
  /** From then on it is refused; absent if it does not expire. Unix time in milliseconds. */
  expiresAt?: number;
  /** Since when the operator has disabled it. Unix time in milliseconds. */
  disabledAt?: number;
  /** At most an hour before its last use; absent before the first. Unix time in milliseconds. */
  lastUsedAt?: number;
  /** Id of its successor, if it was rotated. */
  replacedBy?: string;
}

interface RotatedKey {
  /** The new key. Begins with `key_`. */
  keyId: string;
  /** The root key, shown this once. Begins with `np_`. */
  key: string;
  /** Until when the old key works. Unix time in milliseconds. */
  previousExpiresAt: number;
}

interface SetupLink {
  /** The set-up link. Begins with `link_`. */
  id: string;
  /** The domain that it shows. Begins with `dom_`. */
  domainId: string;
  /** `setup`: the set-up page, for the owner of the domain. `support`: the page of the domain in the dashboard, read-only. More values may be added. */
  purpose: 'setup' | 'support' | (string & {});
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Who made it: id of the root key, or subject of the dashboard token; absent where that is not known. */
  createdBy?: string;
  /** From then on it does not work. Unix time in milliseconds. */
  expiresAt: number;
  /** Since when it does not work; absent unless it was revoked. Unix time in milliseconds. */
  revokedAt?: number;
  /** Who revoked it, as in `createdBy`. */
  revokedBy?: string;
}

interface SetupPage {
  brand: Brand;
  /** Origins of pages that may use sessions of set-up links, such as `https://app.example.net`: https, or http on loopback. */
  origins: Array<string>;
}

interface SharedTarget {
  /** The host: what `target` of domains.createDomain may be. */
  host: string;
  /** Addresses that lead there. A name that has only these counts as routed, as if it had the CNAME. */
  addresses: Array<string>;
  /** When the operator added it. Unix time in milliseconds. */
  createdAt: number;
}

/** A domain, and what serves it. More properties may be added. */
interface Site {
  domain: Domain;
  live?: Live;
  /** Why visitors do not reach the site, where its owner can change that, as in domains.diagnoseDomain. */
  findings?: Array<Finding>;
  certificate: SiteCertificate;
  challengeRecord?: ChallengeRecord;
  /** The certificate is in use, and the domain is not verified yet: once its routing record is changed, visitors notice nothing. Absent otherwise. */
  readyToSwitch?: true;
  blocker?: Blocker;
  redirect?: Redirect;
  suspension?: Suspension;
  origin?: SiteOrigin;
  settings?: SiteSettings;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
}

/** The certificate, in short; domains.getCertificate has all of it. */
interface SiteCertificate {
  /** As in domains.getCertificate. */
  state: 'none' | 'wanted' | 'waiting_for_routing' | 'ordering' | 'issued' | 'renewing' | 'failed' | (string & {});
  problem?: CertificateProblem;
  /** Where the certificate in use is from, as in domains.getCertificate; absent before the first. More values may be added. */
  source?: 'managed' | 'imported' | 'moved' | (string & {});
  /** End of the validity of the certificate in use; absent before the first. Unix time in milliseconds. */
  notAfter?: number;
}

interface SiteChange {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  live: Live;
  /** In `diagnosis.changed`, `domain.failed` and `domain.drifted`: what the check found, as in domains.diagnoseDomain. In `record.lost`: what it found about this record. In `site.unreachable`: why, where the owner of the domain can change that. At most 8 KiB: those that do not fit are left out. */
  findings?: Array<Finding>;
}

/** How far a move is. More properties may be added. */
interface SiteCounts {
  total: number;
  /** Those that are ready to switch. */
  readyToSwitch: number;
  /** Those that visitors reached here, at every address, at the last look. */
  live: number;
  /** Why the others are not ready to switch, the most frequent reason first. */
  blockers: Array<BoardGroup>;
  /** Those whose certificate is ordered as soon as the limits of the CA allow it. */
  waiting: number;
  /** Longest time until the last of these may be ordered, in milliseconds, by the limit of all orders. It assumes that no other names are ordered meanwhile. Absent where there is none. */
  timeLeftMs?: number;
  /** New names that may be ordered in each window, in milliseconds, at all of so many CAs. */
  pace?: {
    names: number;
    windowMs: number;
    cas: number;
  };
  /** IP addresses that lead to the edge, as the operator has set them; empty where they are not known. */
  edgeAddresses: Array<string>;
  /** When they were counted. Unix time in milliseconds. */
  countedAt: number;
}

interface SiteLiveEvent {
  type: 'site.live';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: SiteChange;
}

/** Where requests of visitors go; absent before the first deployment. */
interface SiteOrigin {
  /** Scheme, host and port. */
  url: string;
  /** The current deployment of the domain's environment; absent where the domain has an origin of its own. */
  deploymentId?: string;
}

interface SiteReady_to_switchEvent {
  type: 'site.ready_to_switch';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: CertificateChange;
}

/** The settings of the domain: those that were set. */
interface SiteSettings {
  /** Where the traffic of the domain goes, in place of its environment's deployment. */
  origin?: string;
  hsts?: Hsts;
  /** The lowest version of TLS that visitors may use; handshakes with a lower one are refused. */
  minTlsVersion?: '1.2' | '1.3' | (string & {});
  /** False: HTTP requests go to the origin, and are not redirected to HTTPS. */
  redirectToHttps?: boolean;
}

interface SiteUnreachableEvent {
  type: 'site.unreachable';
  /** When it happened; the same in every attempt. */
  timestamp: string;
  data: SiteChange;
}

/** The certificate that was uploaded with `managed` before the domain was verified. It is put in use once the domain is verified or prepared. Absent where there is none. */
interface StagedCertificate {
  /** End of its validity. Unix time in milliseconds. */
  notAfter: number;
}

/** A page that visitors get in place of the site. */
interface Suspension {
  /** The status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other. */
  status: 451 | 503 | (number & {});
  /** `workspace`: domains.resumeDomain lifts it. `operator`: the operator of the server has suspended the domain or the whole workspace, and no key can lift it. */
  by: 'workspace' | 'operator' | (string & {});
  /** When it was set to this. Unix time in milliseconds. */
  suspendedAt: number;
}

interface SuspensionChange {
  domain: Domain;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  /** Who did it: id of the root key or of the set-up link, or subject of the dashboard token; absent if it happened by itself. */
  actor?: string;
  /** In `domain.suspended`; in `domain.resumed`: what it was. */
  suspension: {
    /** The status of the page in place of the site: 451 for legal reasons (RFC 7725), 503 for any other. */
    status: 451 | 503 | (number & {});
  };
}

/** The data and the settings that can be changed, as they are now. More properties may be added. */
interface UpdatedDomain {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its canonical name. */
  domain: string;
  /** The platform's own id for the domain. */
  externalId?: string;
  /** The platform's own data. */
  metadata?: Record<string, string>;
  settings?: SiteSettings;
}

/** More properties may be added. */
interface UsageHistory {
  /** The domain. Begins with `dom_`. */
  domainId: string;
  /** Its name; absent once it is deleted. */
  domain?: string;
  /** In order. Hours and days without usage are absent. */
  usage: Array<UsageInTime>;
}

/** More properties may be added. */
interface UsageInTime {
  /** When the hour began, or the day in UTC. Unix time in milliseconds. */
  at: number;
  /** Requests, and WebSockets. */
  requests: number;
  /** Bytes of content that its visitors sent, without header fields. */
  bytesIn: number;
  /** Bytes of content that its visitors were sent, without header fields. */
  bytesOut: number;
  /** Responses with status 5xx that the edge gave itself, such as those for an origin that is down. */
  edgeErrors: number;
  /** Responses with status 5xx of the origin. */
  originErrors: number;
}

interface ValidationError {
  /** The faulty part, such as `body.domain`. */
  location: string;
  /** The rule that was violated. */
  message: string;
  /** How to correct it, where that is known. */
  fix?: string;
}

interface Webhook {
  /** The webhook. Begins with `wh_`. */
  id: string;
  /** Where events are sent. */
  url: string;
  /** Types of the events that are sent. `*`: all types, future ones too. */
  types: Array<'domain.created' | 'domain.retried' | 'domain.verified' | 'domain.failed' | 'domain.superseded' | 'domain.drifted' | 'domain.recovered' | 'domain.deleted' | 'domain.restored' | 'domain.moved' | 'domain.suspended' | 'domain.resumed' | 'redirect.set' | 'redirect.removed' | 'record.seen' | 'record.lost' | 'diagnosis.changed' | 'certificate.issued' | 'certificate.renewed' | 'certificate.failed' | 'certificate.expiring' | 'site.ready_to_switch' | 'site.live' | 'site.unreachable' | '*' | (string & {})>;
  /** Whether events are sent. */
  enabled: boolean;
  /** Since when it is disabled. Unix time in milliseconds. */
  disabledAt?: number;
  /** `requested`: by `webhooks.updateWebhook`; `failing`: nothing was delivered for three days. */
  disabledReason?: 'requested' | 'failing' | (string & {});
  /** First failed attempt since the last delivery; absent if there was none. Unix time in milliseconds. */
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
  /** Name for people. */
  name: string;
  /** Creation. Unix time in milliseconds. */
  createdAt: number;
  /** Since when the operator has disabled it: its keys are refused. Unix time in milliseconds. */
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
