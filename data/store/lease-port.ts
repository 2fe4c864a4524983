export interface HeldLease {
  /** Increases whenever the lease gets another holder. A store rejects writes from a holder with a lower fence. */
  readonly fence: number;
  /** The program that took the lease. Needed because two programs may have the same fence after a failover that lost rows. */
  readonly holder: string;
}

/**
 * Leases for work that only one of several programs may do at a time. The store's clock decides when a lease ends, so the
 * programs' clocks do not matter. A program that was suspended may believe that it still holds a lease, so every write must also
 * specify the fence.
 */
export interface LeaseStore {
  /**
   * Takes a lease that nobody else holds. The holder may take it again, for example if the store's answer was lost.
   * @param holder a name that no other program uses
   * @returns null while another program holds it
   */
  take(name: string, holder: string, durationMs: number): Promise<HeldLease | null>;
  /** Extends a lease, so that it ends `durationMs` from now. @returns false if another program has taken it */
  renew(name: string, lease: HeldLease, durationMs: number): Promise<boolean>;
  /** Ends a lease, so that another program can take it immediately. Has no effect if another program has taken it. */
  release(name: string, lease: HeldLease): Promise<void>;
}
