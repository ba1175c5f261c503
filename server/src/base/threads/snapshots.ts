import { AggregatorRegistry, type Registry } from 'prom-client';

/** Values of a registry, as prom-client aggregates them; they can be sent between threads. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export function addUp(snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> {
  return AggregatorRegistry.aggregate([...snapshots]).getMetricsAsJSON();
}

/** Keeps the counters and histograms of a thread that has ended; its gauges end with it. */
export function withoutGauges(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ type }) => String(type) !== 'gauge');
}

/**
 * Adds the snapshots to the metrics of `registry` whenever it is read. Only metrics that the registry has by then are
 * added.
 */
export function addSnapshots(registry: Registry, snapshots: () => Promise<MetricsSnapshot[]>): void {
  let reading: Promise<MetricsSnapshot> | undefined;

  /** The registry reads all of its metrics at once: they share one sum. */
  function sum(): Promise<MetricsSnapshot> {
    reading ??= snapshots()
      .then(addUp)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  for (const metric of registry.getMetricsAsArray()) {
    // Prevents an endless recursion: this is the metric without the changes below.
    const own: { get(): Promise<MetricsSnapshot[number]> } = Object.assign(Object.create(metric), methodsOf(metric));
    const get = async () => {
      const [mine, all] = await Promise.all([own.get(), sum()]);
      const theirs = all.filter(({ name }) => name === metric.name);
      return theirs.length === 0 ? mine : (await addUp([[mine], theirs]))[0];
    };
    Object.assign(metric, { get, getForPromString: get });
  }
}

function methodsOf(metric: object): object {
  const { get, getForPromString } = metric as Record<string, unknown>;
  return getForPromString === undefined ? { get } : { get, getForPromString };
}
