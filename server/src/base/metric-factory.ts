import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Registers the metrics of one area of the program. Labels have few values. */
export interface MetricFactory {
  registry: Registry;
  /**
   * `fromZero`: values of its only label whose series begin at 0. Alerts need that, because Prometheus sees no increase
   * in a series that begins at 1.
   */
  counter<L extends string>(name: string, help: string, labelNames?: L[], fromZero?: readonly string[]): Counter<L>;
  gauge<L extends string>(name: string, help: string, labelNames?: L[]): Gauge<L>;
  histogram<L extends string>(name: string, help: string, buckets: number[], labelNames?: L[]): Histogram<L>;
}

export function metricFactory(registry = new Registry()): MetricFactory {
  const registers = [registry];
  return {
    registry,
    counter<L extends string>(name: string, help: string, labelNames: L[] = [], fromZero: readonly string[] = []) {
      const counter = new Counter({ name, help, labelNames, registers });
      for (const value of fromZero) counter.labels(value).inc(0);
      return counter;
    },
    gauge: (name, help, labelNames = []) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name, help, buckets, labelNames = []) => new Histogram({ name, help, buckets, labelNames, registers }),
  };
}
