/** What endpoints are compared by. */
export interface EndpointStanding {
  /** Failures since the last success. */
  readonly failures: number;
  /** For long it answered errors alone. */
  readonly isFaltering: boolean;
  /** Slots behind the furthest endpoint; null where its slot is not known. */
  readonly slotLag: number | null;
  readonly latencyMs: number | null;
}

/** Slots that an endpoint may be behind another and count as level: 20 seconds. */
const LAG_TOLERANCE = 50;
/** An endpoint is much slower than another beyond twice its latency and this, milliseconds. */
const LATENCY_TOLERANCE_MS = 100;

const lagOf = ({ slotLag }: EndpointStanding): number =>
  (slotLag ?? 0) > LAG_TOLERANCE ? (slotLag ?? 0) : 0;

/** Orders endpoints, the best first: fewest failures, not lagging, lowest latency. */
export function byHealth(a: EndpointStanding, b: EndpointStanding): number {
  return (
    Number(a.isFaltering) - Number(b.isFaltering) ||
    a.failures - b.failures ||
    lagOf(a) - lagOf(b) ||
    (a.latencyMs ?? 0) - (b.latencyMs ?? 0)
  );
}

/**
 * Whether work should leave an endpoint that answers for another: that one is further by more than the tolerance, or
 * level and much faster. Small differences change all the time and are not worth a change.
 */
export function isClearlyBetter(other: EndpointStanding, current: EndpointStanding): boolean {
  if (other.failures > 0 || other.isFaltering || other.slotLag === null) return false;
  const lead = (current.slotLag ?? 0) - other.slotLag;
  if (lead > LAG_TOLERANCE) return true;
  if (lead < -LAG_TOLERANCE || other.latencyMs === null || current.latencyMs === null) return false;
  return current.latencyMs > 2 * other.latencyMs + LATENCY_TOLERANCE_MS;
}
