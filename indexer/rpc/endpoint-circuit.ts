import {
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  handleWhenResult,
} from 'cockatiel';
import { backoffDelay } from './backoff.ts';
import { isRecord } from './json-shape.ts';
import { RetryableRpcError } from './rpc-errors.ts';

/** What a request came to; the fault where the endpoint failed as a whole. */
export interface RequestOutcome {
  readonly fault: RetryableRpcError | null;
}

/**
 * The circuit breaker of one endpoint. A failure as a whole opens it, and the endpoint rests: for a jittered time that
 * grows with each failure in a row, and at least as long as the server asked. The first request after the rest decides
 * alone whether it closes.
 */
export interface EndpointCircuit {
  /** Milliseconds until a request may be sent; 0 where it may now, infinite while another decides. */
  wait(): number;
  readonly isClosed: boolean;
  /** Sends a request and learns from its outcome. It never waits. */
  run<T extends RequestOutcome>(request: () => Promise<T>): Promise<T>;
  /** Calls back whenever the circuit opens, closes or lets a request decide. */
  onChange(listener: () => void): void;
}

/** @param clock.now milliseconds of a clock that never steps back */
export function createEndpointCircuit({
  now,
  random,
}: {
  readonly now: () => number;
  readonly random: () => number;
}): EndpointCircuit {
  let notBefore = Number.NEGATIVE_INFINITY;
  const restAtLeast = (milliseconds: number): void => {
    notBefore = Math.max(notBefore, now() + milliseconds);
  };
  const policy = circuitBreaker(
    handleWhenResult((outcome) => isRecord(outcome) && outcome.fault instanceof RetryableRpcError),
    {
      breaker: new ConsecutiveBreaker(1),
      halfOpenAfter: new DelegateBackoff(({ attempt }) => {
        restAtLeast(backoffDelay(attempt, random));
        // The policy would count the rest by the system's clock, which may step back by hours. It is counted here.
        return Number.NEGATIVE_INFINITY;
      }),
    },
  );
  return {
    wait: () =>
      policy.state === CircuitState.HalfOpen ? Number.POSITIVE_INFINITY : Math.max(0, notBefore - now()),
    get isClosed() {
      return policy.state === CircuitState.Closed;
    },
    async run(request) {
      // While another request decides, the policy would keep this one waiting, whatever its signal says.
      const outcome =
        policy.state === CircuitState.HalfOpen ? await request() : await policy.execute(request);
      if (outcome.fault?.retryAfterMs) restAtLeast(outcome.fault.retryAfterMs);
      return outcome;
    },
    onChange: (listener) => void policy.onStateChange(listener),
  };
}
