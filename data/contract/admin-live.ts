import { z } from 'zod';
import { LIST_IDS } from '../model/admin-lists.ts';

/** Event `change` of the admins' stream: the lists that changed, for the client to read again. It contains no data. */
export const adminListsChange = z.object({ lists: z.array(z.enum(LIST_IDS)).readonly() });
export type AdminListsChange = z.infer<typeof adminListsChange>;
