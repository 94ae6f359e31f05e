import { FenceList } from './FenceList'

/** 禁停围栏. */
export default function NoStopFencePage() {
  return <FenceList key="NoStopFence" type="noStop" title="禁停围栏" />
}
