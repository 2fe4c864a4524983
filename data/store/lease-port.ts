export interface HeldLease {
  /** Grows whenever the lease gets another holder. A store refuses writes from a holder with a lower fence. */
  readonly fence: number;
  /** The program that took the lease. After a failover that lost rows, another program may have the same fence. */
  readonly holder: string;
}

/**
 * Leases for work that only one of several programs may do at a time. The store's clock decides when a lease ends, so the
 * programs' clocks do not matter. A program that was suspended may believe that it still holds a lease, so a write must also
 * name the fence.
 */
export interface LeaseStore {
  /**
   * Takes a lease that nobody else holds. The holder may take it again, for example if the store's answer was lost.
   * @param holder a name that no other program uses
   * @param durationMs the length of the lease in milliseconds
   * @returns null while another program holds it
   */
  take(name: string, holder: string, durationMs: number): Promise<HeldLease | null>;
  /** Extends a lease, so that it ends `durationMs` from now. @returns false if another program has taken it */
  renew(name: string, lease: HeldLease, durationMs: number): Promise<boolean>;
  /** Ends a lease, so that another program can take it immediately. Has no effect if another program has taken it. */
  release(name: string, lease: HeldLease): Promise<void>;
}
