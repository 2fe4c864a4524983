/** The one-time setup links that the replicas offer until the first admin exists. Each link is valid for a day. */
export interface SetupLinks {
  /** @param digest the digest of the link's token */
  offer(digest: string): Promise<void>;
  isOffered(digest: string): Promise<boolean>;
}
