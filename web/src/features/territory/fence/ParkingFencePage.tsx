import { FenceList } from './FenceList'

/** 停车围栏. */
export default function ParkingFencePage() {
  return <FenceList key="ParkingFence" type="parking" title="停车围栏" />
}
