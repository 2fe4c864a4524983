import { z } from 'zod';
import { LIST_IDS } from '../model/admin-lists.ts';

/** Event `change` of the admins' stream: the names of the lists that changed. The client then reads these lists again. */
export const adminListsChange = z.object({ lists: z.array(z.enum(LIST_IDS)).readonly() });
export type AdminListsChange = z.infer<typeof adminListsChange>;
