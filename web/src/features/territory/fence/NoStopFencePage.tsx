import { ZONES } from './fence'
import { FenceList } from './FenceList'

/** 禁停围栏: no-stop and no-ride zones, and what people mark. */
export default function NoStopFencePage() {
  return <FenceList key="NoStopFence" types={ZONES} title="禁停围栏" />
}
