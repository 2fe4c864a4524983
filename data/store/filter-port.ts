import type { AuditRecord } from './audit-port.ts';

/** A list view that an admin saved under a name. The name and the view may contain personal data, such as a search. */
export interface SavedFilter {
  readonly id: string;
  readonly adminId: string;
  readonly list: string;
  readonly name: string;
  /** JSON. */
  readonly view: string;
  readonly isShared: boolean;
  /** Unix ms. */
  readonly createdAt: number;
}

export interface FilterStore {
  /** An admin's own filters and the filters that others share, sorted by name, with the usernames of their authors. */
  visibleTo(adminId: string): Promise<readonly (SavedFilter & { readonly owner: string })[]>;
  /** @param limit the maximum number of filters per admin */
  add(filter: SavedFilter, limit: number, audit: AuditRecord): Promise<'added' | 'full'>;
  /**
   * Changes a filter. Its author stays the same.
   * @param authorId the author of the filter; null to change a shared filter by any author
   * @returns false if there is no such filter by that author
   */
  change(
    filter: Pick<SavedFilter, 'id' | 'name' | 'view' | 'isShared'>,
    authorId: string | null,
    audit: AuditRecord,
  ): Promise<boolean>;
  /**
   * @param authorId the author of the filter; null to remove a shared filter by any author
   * @returns false if there is no such filter by that author
   */
  remove(id: string, authorId: string | null, audit: AuditRecord): Promise<boolean>;
}
