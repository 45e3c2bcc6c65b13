#include "ccgraph/frontend/schedule_file.h"

#include "json/json_text.h"
#include "json/separator.h"

namespace ccgraph {
namespace {

void writeNames(llvm::raw_ostream &os, llvm::ArrayRef<std::string> names) {
  os << '[';
  Separator between;
  for (const std::string &name : names) {
    os << between.next();
    writeJsonString(os, name);
  }
  os << ']';
}

void writeBuckets(llvm::raw_ostream &os, llvm::ArrayRef<ScheduleBucket> buckets) {
  os << ",\n  \"buckets\": [";
  Separator lines(",");
  for (const ScheduleBucket &bucket : buckets) {
    os << lines.next() << "\n    {\"layout\": \"" << layoutName(bucket.layout) << "\", \"members\": ";
    writeNames(os, bucket.members);
    os << ", \"makes\": ";
    writeNames(os, bucket.makes);
    os << '}';
  }
  os << "\n  ]";
}

void writeOrder(llvm::raw_ostream &os, llvm::ArrayRef<std::string> order) {
  os << ",\n  \"order\": [";
  Separator lines(",");
  for (const std::string &name : order) {
    os << lines.next() << "\n    ";
    writeJsonString(os, name);
  }
  os << "\n  ]";
}

} // namespace

void writeSchedule(llvm::raw_ostream &os, const Schedule &schedule) {
  os << "{\n  \"format\": \"ccgraph.schedule\",\n  \"version\": \"1.0\",\n  \"graph\": ";
  writeJsonString(os, schedule.digest);
  if (!schedule.prepare.empty()) {
    os << ",\n  \"prepare\": ";
    writeNames(os, schedule.prepare);
  }
  if (schedule.memoryBudget)
    os << ",\n  \"memory_budget\": " << *schedule.memoryBudget;
  if (!schedule.buckets.empty())
    writeBuckets(os, schedule.buckets);
  writeOrder(os, schedule.order);
  os << "\n}\n";
}

} // namespace ccgraph
