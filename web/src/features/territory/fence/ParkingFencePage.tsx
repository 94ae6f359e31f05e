import { PARKINGS } from './fence'
import { FenceList } from './FenceList'

/** 停车围栏. */
export default function ParkingFencePage() {
  return <FenceList key="ParkingFence" types={PARKINGS} title="停车围栏" />
}
