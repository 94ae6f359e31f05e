import { professionLabels } from '@/api/generated/labels'
import { labelOf, numberedOptionsOf } from '@/kit/choice'

/** What somebody does in the field (工种); it permits nothing. */
export const professions = numberedOptionsOf(professionLabels)

export const professionText = (profession: number | null | undefined) => labelOf(professionLabels, profession)
